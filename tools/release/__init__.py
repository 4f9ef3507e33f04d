"""The files of a release, each made of the same bytes on every machine."""
