"""Drives LiteLLM as a client of each format."""

import json

from driving import CITY_SCHEMA, MAX_TOKENS, PROMPT, drive, openai_tools, tokens

import os

# Its prices of models are not asked for, and a machine of tests may not reach their address.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

litellm.suppress_debug_info = True


def ask(prefix, path):
    def asked(job):
        options = {
            "model": f"{prefix}/{job['model']}",
            "api_base": job["url"] + path.format(model=job["model"]),
            "api_key": job["key"],
            "messages": [{"role": "user", "content": PROMPT}],
            "max_tokens": MAX_TOKENS,
            "num_retries": 0,
            "max_retries": 0,
        }
        if job["does"] == "structured":
            json_schema = {"name": "city", "schema": CITY_SCHEMA, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        else:
            options["tools"] = openai_tools()
        if job["stream"]:
            chunks = list(litellm.completion(stream=True, stream_options={"include_usage": True}, **options))
            answer = litellm.stream_chunk_builder(chunks, messages=options["messages"])
        else:
            answer = litellm.completion(**options)
        message = answer.choices[0].message
        details = answer.usage.prompt_tokens_details
        return {
            "text": message.content or "",
            "thought": getattr(message, "reasoning_content", None) or "",
            "calls": [
                {"name": call.function.name, "input": json.loads(call.function.arguments)} for call in message.tool_calls or []
            ],
            # Over Responses, the library tells `stop` for a stream that reached its limit.
            "finish": "" if prefix == "openai/responses" else answer.choices[0].finish_reason,
            "tokens": tokens(
                answer.usage.prompt_tokens, answer.usage.completion_tokens, getattr(details, "cached_tokens", None)
            ),
        }

    return asked


drive(
    {
        "litellm openai": ask("openai", "/v1"),
        "litellm anthropic": ask("anthropic", ""),
        "litellm gemini": ask("gemini", "/v1beta"),
        "litellm responses": ask("openai/responses", "/v1"),
    }
)
