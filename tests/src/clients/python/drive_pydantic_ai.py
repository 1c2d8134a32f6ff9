"""Drives pydantic-ai's models for OpenAI, Anthropic and Google, by their asynchronous clients."""

import asyncio
import json

from driving import CITY_SCHEMA, MAX_TOKENS, PROMPT, TOOLS, drive, schema, tokens
from pydantic_ai import direct
from pydantic_ai.messages import ModelRequest, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition


def openai_provider(job):
    from openai import AsyncOpenAI
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIProvider(openai_client=AsyncOpenAI(base_url=job["url"] + "/v1", api_key=job["key"], max_retries=0))


def openai_chat(job):
    from pydantic_ai.models.openai import OpenAIChatModel

    return OpenAIChatModel(job["model"], provider=openai_provider(job))


def openai_responses(job):
    from pydantic_ai.models.openai import OpenAIResponsesModel

    return OpenAIResponsesModel(job["model"], provider=openai_provider(job))


def anthropic(job):
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=job["url"], api_key=job["key"], max_retries=0)
    return AnthropicModel(job["model"], provider=AnthropicProvider(anthropic_client=client))


def google(job):
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(job["model"], provider=GoogleProvider(base_url=job["url"], api_key=job["key"]))


def parameters(job):
    if job["does"] == "structured":
        schema_only = {key: value for key, value in CITY_SCHEMA.items() if key != "title"}
        wanted = OutputObjectDefinition(json_schema=schema_only, name="city", strict=True)
        return ModelRequestParameters(output_mode="native", output_object=wanted, allow_text_output=True)
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(name=name, description=text, parameters_json_schema=schema(field)) for name, text, field in TOOLS
        ]
    )


async def answer_of(model, job):
    asked_with = {
        "model_settings": {"max_tokens": MAX_TOKENS},
        "model_request_parameters": parameters(job),
    }
    messages = [ModelRequest.user_text_prompt(PROMPT)]
    if not job["stream"]:
        return await direct.model_request(model, messages, **asked_with)
    async with direct.model_request_stream(model, messages, **asked_with) as stream:
        async for _ in stream:
            pass
        return stream.get() if hasattr(stream, "get") else stream.response


def ask(create):
    def asked(job):
        async def run():
            return await answer_of(create(job), job)

        answer = asyncio.run(run())

        def parts(kind):
            return [part for part in answer.parts if isinstance(part, kind)]

        return {
            "text": "".join(part.content for part in parts(TextPart)),
            "thought": "".join(part.content for part in parts(ThinkingPart)),
            "calls": [
                {"name": call.tool_name, "input": json.loads(call.args) if isinstance(call.args, str) else call.args}
                for call in parts(ToolCallPart)
            ],
            "finish": answer.finish_reason or "",
            "tokens": tokens(answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cache_read_tokens),
        }

    return asked


drive(
    {
        "pydantic-ai openai chat": ask(openai_chat),
        "pydantic-ai openai responses": ask(openai_responses),
        "pydantic-ai anthropic": ask(anthropic),
        "pydantic-ai google": ask(google),
    }
)
