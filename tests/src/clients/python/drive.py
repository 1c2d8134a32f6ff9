"""Drives the official Python libraries as a program would."""

from driving import drive
from official import OFFICIAL


def ask(library):
    def asked(job):
        used = library(job)
        return used.reply(used.send(used.request()))

    return asked


drive({name: ask(library) for name, library in OFFICIAL.items()})
