"""What all driving programs share: the question, the tools, and the loop over jobs.

Jobs come as JSON on standard input, one reply a line goes to standard output. A reply holds what a program reads (text, thought,
calls, finish, tokens) and `dump`, everything that the library parsed, where it tells that.
"""

import json
import sys

PROMPT = "How high is the Eiffel Tower?"
TOOLS = [
    ("get_weather", "The weather of a city", "city"),
    ("get_time", "The time in a zone", "zone"),
]
TOOL_RESULTS = {
    "get_weather": {"sky": "sunny", "celsius": 21},
    "get_time": {"time": "09:30"},
}
# A red dot.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
MAX_TOKENS = 500
THINKING_TOKENS = 2_048
CITY_SCHEMA = {
    "type": "object",
    "title": "city",
    "description": "A city and its population",
    "properties": {"city": {"type": "string"}, "population": {"type": "integer"}},
    "required": ["city", "population"],
    "additionalProperties": False,
}


def schema(name):
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


def openai_tools():
    return [
        {"type": "function", "function": {"name": name, "description": text, "parameters": schema(field)}}
        for name, text, field in TOOLS
    ]


def tokens(read, output, cached=0):
    return {"input": read or 0, "output": output or 0, "cached": cached or 0}


def status_of(error):
    """The HTTP status of an error, which libraries keep under different names or in the error that caused theirs."""
    while error is not None:
        for name in ("status_code", "code"):
            status = getattr(error, name, None)
            if isinstance(status, int):
                return status
        error = error.__cause__ or error.__context__
    return None


def retry_after_of(error):
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers.get("retry-after") if headers is not None else None


def failed(error):
    return {
        "error": type(error).__name__,
        "status": status_of(error),
        # What programs branch on: names that stand in the error's body.
        "kind": [str(getattr(error, name)) for name in ("type", "code", "status") if getattr(error, name, None)],
        "retryAfter": retry_after_of(error),
        "message": str(error).split(" (request id:")[0],
    }


def drive(clients):
    def attempt(job):
        try:
            return clients[job["client"]](job)
        except Exception as error:
            return failed(error)

    for job in json.load(sys.stdin):
        print(json.dumps(attempt(job)), flush=True)
