"""What every file of a release has in common: names, time, ids, archives.

  R1  the same tree and packages give the same bytes, in whatever folder, time
      zone or language, and whoever builds
  R2  ids that a format wants to be unique are made of what is in the file
"""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import uuid
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "millrace.efi")


def fail(text):
    sys.exit("make-image: " + text)


def run(*words, **options):
    """A tool's output; its complaint ends us."""
    done = subprocess.run([str(w) for w in words], capture_output=True,
                          text=True, **options)
    if done.returncode:
        fail("%s: %s" % (words[0], done.stderr.strip() or done.stdout.strip()))
    return done.stdout


def epoch():
    """The time that all files carry: SOURCE_DATE_EPOCH, else the commit's."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        if not given.isdigit():
            fail("SOURCE_DATE_EPOCH is %r, expected seconds since 1970" % given)
        return int(given)
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(TREE), "log", "-1",
                           "--format=%ct"], capture_output=True, text=True)
    if done.returncode or not done.stdout.strip():
        fail("this tree is no clone of git: say SOURCE_DATE_EPOCH=seconds")
    return int(done.stdout)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def make_uuid(*parts):
    """A UUID made of what it stands for (RFC 4122, version 5)."""
    return uuid.uuid5(NAMESPACE, ":".join(parts))


def archive(path, folder, files, seconds):
    """Write a .tar.gz in which `folder` has `files`, {name: (bytes, mode)}."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for name in sorted(files):
            data, mode = files[name]
            entry = tarfile.TarInfo("%s/%s" % (folder, name))
            entry.size, entry.mode, entry.mtime = len(data), mode, seconds
            t.addfile(entry, io.BytesIO(data))
    with open(path, "wb") as f, \
            gzip.GzipFile("", "wb", 9, f, mtime=seconds) as z:
        z.write(raw.getvalue())


def plain(path):
    return Path(path).read_bytes(), 0o644


def program(path):
    return Path(path).read_bytes(), 0o755
