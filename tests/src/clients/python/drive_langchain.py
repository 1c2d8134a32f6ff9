"""Drives LangChain's models for OpenAI, Anthropic and Google."""

import json

from driving import CITY_SCHEMA, MAX_TOKENS, PROMPT, drive, openai_tools, tokens


def openai_chat(job):
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(base_url=job["url"] + "/v1", api_key=job["key"], model=job["model"], max_retries=0, stream_usage=True)


def openai_responses(job):
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(base_url=job["url"] + "/v1", api_key=job["key"], model=job["model"], max_retries=0, use_responses_api=True)


def anthropic(job):
    from langchain_anthropic import ChatAnthropic

    return ChatAnthropic(base_url=job["url"], api_key=job["key"], model=job["model"], max_retries=0, max_tokens=MAX_TOKENS)


def google(job):
    from langchain_google_genai import ChatGoogleGenerativeAI

    return ChatGoogleGenerativeAI(base_url=job["url"], google_api_key=job["key"], model=job["model"], max_retries=1)


def thought_in(block):
    if block.get("type") != "reasoning":
        return ""
    return block.get("reasoning") or "".join(part.get("text", "") for part in block.get("summary") or [])


def ask(create):
    def asked(job):
        model = create(job)
        if job["does"] == "structured":
            found = model.with_structured_output(CITY_SCHEMA, method="json_schema").invoke(PROMPT)
            return {"text": json.dumps(found), "thought": "", "calls": [], "finish": "", "tokens": None}
        bound = model.bind_tools(openai_tools())
        if job["stream"]:
            answer = None
            for chunk in bound.stream(PROMPT):
                answer = chunk if answer is None else answer + chunk
        else:
            answer = bound.invoke(PROMPT)
        usage = answer.usage_metadata or {}
        told = answer.response_metadata
        return {
            "text": answer.text,
            "thought": "".join(thought_in(block) for block in answer.content_blocks),
            "calls": [{"name": call["name"], "input": call["args"]} for call in answer.tool_calls],
            "finish": told.get("finish_reason")
            or told.get("stop_reason")
            or (told.get("incomplete_details") or {}).get("reason")
            or told.get("status")
            or "",
            "tokens": tokens(
                usage.get("input_tokens"),
                usage.get("output_tokens"),
                (usage.get("input_token_details") or {}).get("cache_read"),
            ),
        }

    return asked


drive(
    {
        "langchain-openai chat": ask(openai_chat),
        "langchain-openai responses": ask(openai_responses),
        "langchain-anthropic": ask(anthropic),
        "langchain-google-genai": ask(google),
    }
)
