"""Drives instructor, which turns answers into objects, over the libraries of OpenAI, Anthropic and Google."""

import json

from driving import MAX_TOKENS, PROMPT, drive
from pydantic import BaseModel

import instructor


class City(BaseModel):
    city: str
    population: int


def openai_chat(job):
    import openai

    client = openai.OpenAI(base_url=job["url"] + "/v1", api_key=job["key"], max_retries=0)
    return instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA), {"max_tokens": MAX_TOKENS}


def anthropic(job):
    import anthropic

    client = anthropic.Anthropic(base_url=job["url"], api_key=job["key"], max_retries=0)
    return instructor.from_anthropic(client, mode=instructor.Mode.ANTHROPIC_JSON), {"max_tokens": MAX_TOKENS}


def google(job):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=job["key"], http_options=types.HttpOptions(base_url=job["url"]))
    return instructor.from_genai(client, mode=instructor.Mode.GENAI_STRUCTURED_OUTPUTS), {}


def ask(create):
    def asked(job):
        client, options = create(job)
        asked_with = {
            "model": job["model"],
            "messages": [{"role": "user", "content": PROMPT}],
            "response_model": City,
            "max_retries": 0,
            **options,
        }
        if job["stream"]:
            found = None
            for found in client.chat.completions.create_partial(**asked_with):
                pass
        else:
            found = client.chat.completions.create(**asked_with)
        return {"text": json.dumps(found.model_dump()), "thought": "", "calls": [], "finish": "", "tokens": None}

    return asked


drive({"instructor openai": ask(openai_chat), "instructor anthropic": ask(anthropic), "instructor google-genai": ask(google)})
