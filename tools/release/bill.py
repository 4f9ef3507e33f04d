"""The bill of materials (SPDX 2.3): what is linked in, from where, under which
licence; and the licences' own words.

What is linked is read from the linker's map, not from what was meant to be.
"""

import json
import re
import time
from pathlib import Path

from . import made

BUILD_TOOLS = ["gcc", "clang", "lld", "binutils"]
ARCHIVES = Path("/usr/src/newlib")
MEMBER = re.compile(r"^(\S*/)?(lib\w+\.a)\((?:lib_a-)?([\w.-]+)\)$")
PASSING = re.compile(r"\S*/cc\w{6}\.")
GNU_EFI = "BSD-2-Clause AND BSD-3-Clause"


def clean_map(text):
    """The linker's map without the names of passing files."""
    return PASSING.sub("", text)


def members(text):
    """{archive: its members that were linked}, from the map's first list."""
    found = {}
    head = text.partition("\nDiscarded input sections")[0]
    head = head.partition("\nMemory Configuration")[0]
    for line in head.splitlines():
        match = MEMBER.match(line)
        if match:
            found.setdefault(match[2], set()).add(match[3])
    if "libc.a" not in found:
        made.fail("the kernel's map names nothing of libc.a")
    return {name: sorted(parts) for name, parts in found.items()}


def version(package):
    done = made.run("dpkg-query", "-W", "-f", "${Version}", package)
    if not done:
        made.fail("the package %s has no version" % package)
    return done


def newlib_archive():
    found = sorted(ARCHIVES.glob("newlib-*.tar.xz"))
    if not found:
        made.fail("no %s/newlib-*.tar.xz; install newlib-source" % ARCHIVES)
    return found[-1]


def newlib_licences():
    archive = newlib_archive()
    return made.run("tar", "-xJOf", archive, "--wildcards",
                    "*/COPYING.NEWLIB")


def gnu_efi_licences():
    path = Path("/usr/share/doc/gnu-efi/copyright")
    if path.exists():
        return path.read_text()
    return "%s; the words are in the package's debian/copyright\n" % GNU_EFI


def licences():
    """All that must be said wherever the image goes."""
    rule = "\n" + "=" * 72 + "\n"
    return (rule.join([
        (made.TREE / "LICENSE").read_text(),
        "newlib, the C library in the kernel\n\n" + newlib_licences(),
        "GNU-EFI, the loader's view of the firmware\n\n" + gnu_efi_licences(),
    ])).replace("\r", "").encode()


def package(ident, name, version_text, licence, **more):
    return {"SPDXID": "SPDXRef-" + ident, "name": name,
            "versionInfo": version_text, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def of_debian(ident, binary, source, licence, **more):
    text = version(binary)
    locator = "pkg:deb/debian/%s@%s?arch=source" % (
        source, text.replace(":", "%3A").replace("+", "%2B"))
    return package(ident, source, text, licence,
                   supplier="Organization: Debian",
                   externalRefs=[{"referenceCategory": "PACKAGE-MANAGER",
                                  "referenceType": "purl",
                                  "referenceLocator": locator}], **more)


def bill(release, efi, map_text, seconds):
    """The whole document, as text."""
    linked = members(map_text)
    digest = made.sha256(efi)
    ours = package(
        "millrace", "millrace", release, "BSD-2-Clause",
        packageFileName="millrace-%s.efi" % release,
        primaryPackagePurpose="FIRMWARE",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    parts = [
        (of_debian("newlib", "newlib-source", "newlib", "LicenseRef-newlib",
                   comment="linked from libc.a: "
                   + " ".join(linked["libc.a"])), "STATIC_LINK"),
        (of_debian("gnu-efi", "gnu-efi", "gnu-efi", GNU_EFI,
                   comment="headers only"), "CONTAINS"),
    ]
    if "libgcc.a" in linked:
        compiler = made.run("gcc", "-dumpversion").strip()
        parts.append((of_debian(
            "libgcc", "libgcc-%s-dev" % compiler, "gcc-" + compiler,
            "GPL-3.0-or-later WITH GCC-exception-3.1",
            comment="linked from libgcc.a: "
            + " ".join(linked["libgcc.a"])), "STATIC_LINK"))
    tools = [of_debian("tool-" + name, name, name, "NOASSERTION")
             for name in BUILD_TOOLS]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [(ours["SPDXID"], how, p["SPDXID"]) for p, how in parts]
    relations += [(t["SPDXID"], "BUILD_TOOL_OF", ours["SPDXID"])
                  for t in tools]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": "millrace-" + release,
        "documentNamespace": "urn:uuid:%s" % made.make_uuid("spdx", release,
                                                           digest),
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                     time.gmtime(seconds)),
            "creators": ["Organization: The Millrace authors",
                         "Tool: millrace-make-image"]},
        "packages": [ours, *[p for p, _ in parts], *tools],
        "relationships": [
            {"spdxElementId": a, "relationshipType": how,
             "relatedSpdxElement": b} for a, how, b in relations],
        "hasExtractedLicensingInfos": [
            {"licenseId": "LicenseRef-newlib", "name": "newlib's licences",
             "extractedText": newlib_licences()}],
    }, indent=2) + "\n"
