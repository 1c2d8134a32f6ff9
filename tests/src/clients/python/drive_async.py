"""Drives the asynchronous clients of the official Python libraries."""

import asyncio

from driving import drive
from official import AnthropicMessages, GoogleGemini, OpenAIChat, OpenAIResponses, thought_in


class AsyncOpenAIChat(OpenAIChat):
    def connect(self, **options):
        import openai

        return openai.AsyncOpenAI(**options)

    async def send(self, asked):
        import openai

        thought = ""
        try:
            if not self.job["stream"]:
                answer = await self.client.chat.completions.parse(**asked)
                return answer, getattr(answer.choices[0].message, "reasoning_content", None) or ""
            async with self.client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                async for event in stream:
                    thought += thought_in(event)
                return await stream.get_final_completion(), thought
        except openai.LengthFinishReasonError as error:
            return error.completion, thought


class AsyncOpenAIResponses(OpenAIResponses):
    connect = AsyncOpenAIChat.connect

    async def send(self, asked):
        if not self.job["stream"]:
            return await self.client.responses.parse(**asked)
        answer = None
        async with self.client.responses.stream(**asked) as stream:
            async for event in stream:
                if event.type in ("response.completed", "response.incomplete"):
                    answer = event.response
        return answer


class AsyncAnthropicMessages(AnthropicMessages):
    def connect(self, **options):
        import anthropic

        return anthropic.AsyncAnthropic(**options)

    async def send(self, asked):
        if not self.job["stream"]:
            return await self.client.messages.parse(**asked)
        async with self.client.messages.stream(**asked) as stream:
            return await stream.get_final_message()


class AsyncGoogleGemini(GoogleGemini):
    async def send(self, asked):
        if not self.job["stream"]:
            return [await self.client.aio.models.generate_content(**asked)]
        return [answer async for answer in await self.client.aio.models.generate_content_stream(**asked)]


def ask(library):
    def asked(job):
        async def run():
            used = library(job)
            return used.reply(await used.send(used.request()))

        return asyncio.run(run())

    return asked


drive(
    {
        "openai chat, async": ask(AsyncOpenAIChat),
        "openai responses, async": ask(AsyncOpenAIResponses),
        "anthropic, async": ask(AsyncAnthropicMessages),
        "google-genai, async": ask(AsyncGoogleGemini),
    }
)
