"""Drives the official Python libraries as a program would."""

import json

from driving import MAX_TOKENS, PROMPT, TOOLS, drive, schema


def openai_chat(job):
    import openai

    client = openai.OpenAI(base_url=job["url"] + "/v1", api_key=job["key"], max_retries=0)
    asked = {
        "model": job["model"],
        "messages": [{"role": "user", "content": PROMPT}],
        "tools": [
            {"type": "function", "function": {"name": name, "description": text, "parameters": schema(field), "strict": True}}
            for name, text, field in TOOLS
        ],
    }
    thought = ""
    if job["stream"]:
        # The helper merges lists by the index of their entries, and fails where there is none.
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
            try:
                for event in stream:
                    if event.type == "chunk" and event.chunk.choices:
                        thought += getattr(event.chunk.choices[0].delta, "reasoning_content", None) or ""
                answer = stream.get_final_completion()
            except openai.LengthFinishReasonError as error:
                # The helper raises for an answer that reached its limit, and hands it over without the usage that follows.
                answer = error.completion
    else:
        answer = client.chat.completions.create(**asked)
        thought = getattr(answer.choices[0].message, "reasoning_content", None) or ""
    message = answer.choices[0].message
    details = answer.usage and answer.usage.prompt_tokens_details
    return {
        "text": message.content or getattr(message, "refusal", None) or "",
        "thought": thought,
        "calls": [
            {"name": call.function.name, "input": json.loads(call.function.arguments)} for call in message.tool_calls or []
        ],
        "finish": answer.choices[0].finish_reason,
        "tokens": answer.usage
        and {
            "input": answer.usage.prompt_tokens,
            "output": answer.usage.completion_tokens,
            "cached": (details and details.cached_tokens) or 0,
        },
        "dump": answer.model_dump(mode="json"),
    }


def openai_responses(job):
    import openai

    client = openai.OpenAI(base_url=job["url"] + "/v1", api_key=job["key"], max_retries=0)
    asked = {
        "model": job["model"],
        "input": PROMPT,
        "tools": [
            {"type": "function", "name": name, "description": text, "parameters": schema(field), "strict": False}
            for name, text, field in TOOLS
        ],
    }
    if job["stream"]:
        answer = None
        with client.responses.stream(**asked) as stream:
            for event in stream:
                if event.type in ("response.completed", "response.incomplete"):
                    answer = event.response
    else:
        answer = client.responses.create(**asked)
    parts = [part for item in answer.output if item.type == "message" for part in item.content]
    return {
        "text": "".join(getattr(part, "text", None) or getattr(part, "refusal", "") for part in parts),
        "thought": "".join(part.text for item in answer.output if item.type == "reasoning" for part in item.summary),
        "calls": [
            {"name": item.name, "input": json.loads(item.arguments)} for item in answer.output if item.type == "function_call"
        ],
        "finish": answer.incomplete_details.reason if answer.incomplete_details else answer.status,
        "tokens": answer.usage
        and {
            "input": answer.usage.input_tokens,
            "output": answer.usage.output_tokens,
            "cached": answer.usage.input_tokens_details.cached_tokens,
        },
        "dump": answer.model_dump(mode="json"),
    }


def anthropic_messages(job):
    import anthropic

    client = anthropic.Anthropic(base_url=job["url"], api_key=job["key"], max_retries=0)
    asked = {
        "model": job["model"],
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": PROMPT}],
        "tools": [{"name": name, "description": text, "input_schema": schema(field)} for name, text, field in TOOLS],
    }
    if job["stream"]:
        with client.messages.stream(**asked) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**asked)
    cached = answer.usage.cache_read_input_tokens or 0
    return {
        "text": "".join(block.text for block in answer.content if block.type == "text"),
        "thought": "".join(block.thinking for block in answer.content if block.type == "thinking"),
        "calls": [{"name": block.name, "input": block.input} for block in answer.content if block.type == "tool_use"],
        "finish": answer.stop_reason,
        "tokens": {
            "input": answer.usage.input_tokens + cached + (answer.usage.cache_creation_input_tokens or 0),
            "output": answer.usage.output_tokens,
            "cached": cached,
        },
        "dump": answer.model_dump(mode="json"),
    }


def google_genai(job):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=job["key"], http_options=types.HttpOptions(base_url=job["url"]))
    declarations = [
        types.FunctionDeclaration(name=name, description=text, parameters_json_schema=schema(field))
        for name, text, field in TOOLS
    ]
    config = types.GenerateContentConfig(
        max_output_tokens=MAX_TOKENS,
        tools=[types.Tool(function_declarations=declarations)],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    asked = {"model": job["model"], "contents": PROMPT, "config": config}
    if job["stream"]:
        answers = list(client.models.generate_content_stream(**asked))
    else:
        answers = [client.models.generate_content(**asked)]
    candidates = [answer.candidates[0] for answer in answers if answer.candidates]
    parts = [part for one in candidates if one.content for part in one.content.parts or []]
    usage = next((answer.usage_metadata for answer in reversed(answers) if answer.usage_metadata), None)
    finish = next((one.finish_reason for one in reversed(candidates) if one.finish_reason), None)
    dumps = [answer.model_dump(mode="json", exclude={"sdk_http_response", "parsed"}) for answer in answers]
    return {
        "text": "".join(part.text for part in parts if part.text and not part.thought),
        "thought": "".join(part.text for part in parts if part.text and part.thought),
        "calls": [
            {"name": part.function_call.name, "input": part.function_call.args or {}} for part in parts if part.function_call
        ],
        "finish": finish and finish.value,
        "tokens": usage
        and {
            "input": usage.prompt_token_count,
            "output": (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
            "cached": usage.cached_content_token_count or 0,
        },
        "dump": dumps,
    }


drive(
    {
    "openai chat": openai_chat,
    "openai responses": openai_responses,
    "anthropic": anthropic_messages,
    "google-genai": google_genai,
}
)
