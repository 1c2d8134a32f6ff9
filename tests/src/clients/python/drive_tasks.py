"""Drives what a program does with the official Python libraries beside asking once: further turns, troubles, other endpoints."""

import urllib.request

from driving import drive
from official import OFFICIAL, GoogleGemini

TIMEOUT_SECONDS = 2


def answered(library, job):
    used = library(job)
    return used.reply(used.send(used.request()))


def second_turn(library, job):
    used = library(job)
    asked = used.request()
    sent = used.send(asked)
    first = used.reply(sent)
    return {**used.reply(used.send(used.next_turn(asked, sent))), "calls": first["calls"], "thought": first["thought"]}


def leave(library, job):
    """Ends the connection when the first text has come."""
    pieces = library(job).pieces()
    first = next(pieces)
    pieces.close()
    return {"text": first}


def read_on(library, job):
    """Tells the provider to go on when the first text has come."""
    text = ""
    for piece in library(job).pieces():
        if text == "":
            urllib.request.urlopen(job["signal"]).read()
        text += piece
    return {"text": text}


def retry(library, job):
    from google.genai import types

    if library is GoogleGemini:
        used = library(job, retry_options=types.HttpRetryOptions(attempts=3))
    else:
        used = library(job, max_retries=2)
    return used.reply(used.send(used.request()))


def wait_briefly(library, job):
    # Google's library counts milliseconds.
    used = library(job, timeout=TIMEOUT_SECONDS * (1000 if library is GoogleGemini else 1))
    return used.reply(used.send(used.request()))


TASKS = {
    "ask": answered,
    "picture": answered,
    "turn": second_turn,
    "leave": leave,
    "read on": read_on,
    "retry": retry,
    "wait briefly": wait_briefly,
    "count": lambda library, job: {"count": library(job).count()},
    "embed": lambda library, job: {"vectors": library(job).vectors()},
}

drive(
    {
        name: lambda job, library=library: TASKS[job["does"]](library, job)
        for name, library in OFFICIAL.items()
    }
)
