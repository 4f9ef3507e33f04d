"""How long each way of booting takes, as a table in a document."""

import re

BEGIN, END = "<!-- times: begin -->\n", "<!-- times: end -->\n"
HEAD = """\
| way | firmware and transfer | entry to both links up | waits that the chip demands |
|---|---:|---:|---:|
"""


class Table:
    """Rows in the order in which they were added."""

    def __init__(self):
        self.rows = []

    def add(self, way, seconds, link_us, waits_us):
        self.rows.append("| %s | %.1f s | %.0f ms | %.0f ms |\n" % (
            way, seconds, link_us / 1000, waits_us / 1000))

    def write(self, path):
        """Between the marks of the document; the rest stays."""
        text = path.read_text()
        new = BEGIN + HEAD + "".join(self.rows) + END
        path.write_text(re.sub(re.escape(BEGIN) + ".*" + re.escape(END),
                               lambda _: new, text, flags=re.DOTALL))
