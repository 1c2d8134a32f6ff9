"""The official Python libraries, each as a class: how it is asked, what a program reads of its answers, and its next turn.

`job["does"]` says what is asked: `ask` declares tools, `structured` wants a city, `picture` shows one, `turn` lets the model think.
"""

import json

from driving import CITY_SCHEMA, MAX_TOKENS, PICTURE, PROMPT, THINKING_TOKENS, TOOL_RESULTS, TOOLS, schema
from pydantic import BaseModel


class City(BaseModel):
    __doc__ = CITY_SCHEMA["description"]
    city: str
    population: int


def wants_tools(job):
    return job["does"] not in ("structured", "picture")


class OpenAIChat:
    def __init__(self, job, **options):
        self.job = job
        self.client = self.connect(base_url=job["url"] + "/v1", api_key=job["key"], **{"max_retries": 0, **options})

    def connect(self, **options):
        import openai

        return openai.OpenAI(**options)

    def request(self):
        content = PROMPT
        if self.job["does"] == "picture":
            picture = {"url": f"data:image/png;base64,{PICTURE}"}
            content = [{"type": "text", "text": PROMPT}, {"type": "image_url", "image_url": picture}]
        asked = {"model": self.job["model"], "messages": [{"role": "user", "content": content}]}
        if self.job["does"] == "turn":
            asked["reasoning_effort"] = "medium"
        if self.job["does"] == "structured":
            asked["response_format"] = City
        if wants_tools(self.job):
            asked["tools"] = [
                {
                    "type": "function",
                    "function": {"name": name, "description": text, "parameters": schema(field), "strict": True},
                }
                for name, text, field in TOOLS
            ]
        return asked

    def send(self, asked):
        """The answer and its reasoning, which the library keeps as it comes."""
        import openai

        thought = ""
        try:
            if not self.job["stream"]:
                answer = self.client.chat.completions.parse(**asked)
                return answer, getattr(answer.choices[0].message, "reasoning_content", None) or ""
            # The helper merges lists by the index of their entries, and fails where there is none.
            with self.client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                for event in stream:
                    thought += thought_in(event)
                return stream.get_final_completion(), thought
        except openai.LengthFinishReasonError as error:
            # The library raises for an answer that reached its limit, and hands it over, of a stream without the usage that follows.
            return error.completion, thought

    def pieces(self):
        """The text of a stream, piece by piece."""
        for chunk in self.client.chat.completions.create(**self.request(), stream=True):
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content

    def next_turn(self, asked, sent):
        message = sent[0].choices[0].message
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": json.dumps(TOOL_RESULTS[call.function.name])}
            for call in message.tool_calls
        ]
        return {**asked, "messages": [*asked["messages"], message, *results]}

    def reply(self, sent):
        answer, thought = sent
        message = answer.choices[0].message
        details = answer.usage and answer.usage.prompt_tokens_details
        return {
            "text": message.content or getattr(message, "refusal", None) or "",
            "thought": thought,
            "calls": [
                {"name": call.function.name, "input": json.loads(call.function.arguments)}
                for call in message.tool_calls or []
            ],
            "finish": answer.choices[0].finish_reason,
            "tokens": answer.usage
            and {
                "input": answer.usage.prompt_tokens,
                "output": answer.usage.completion_tokens,
                "cached": (details and details.cached_tokens) or 0,
            },
            "requestId": getattr(answer, "_request_id", None),
            "dump": answer.model_dump(mode="json"),
        }

    def vectors(self):
        found = self.client.embeddings.create(model=self.job["model"], input=["one", "two"])
        return [one.embedding for one in found.data]


def thought_in(event):
    if event.type != "chunk" or not event.chunk.choices:
        return ""
    return getattr(event.chunk.choices[0].delta, "reasoning_content", None) or ""


class OpenAIResponses(OpenAIChat):
    def request(self):
        content = PROMPT
        if self.job["does"] == "picture":
            picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}", "detail": "auto"}
            content = [{"type": "input_text", "text": PROMPT}, picture]
        asked = {"model": self.job["model"], "input": [{"role": "user", "content": content}]}
        if self.job["does"] == "turn":
            asked["reasoning"] = {"effort": "medium", "summary": "auto"}
            asked["include"] = ["reasoning.encrypted_content"]
            asked["store"] = False
        if self.job["does"] == "structured":
            asked["text_format"] = City
        if wants_tools(self.job):
            asked["tools"] = [
                {"type": "function", "name": name, "description": text, "parameters": schema(field), "strict": False}
                for name, text, field in TOOLS
            ]
        return asked

    def send(self, asked):
        if not self.job["stream"]:
            return self.client.responses.parse(**asked)
        answer = None
        with self.client.responses.stream(**asked) as stream:
            for event in stream:
                if event.type in ("response.completed", "response.incomplete"):
                    answer = event.response
        return answer

    def pieces(self):
        for event in self.client.responses.create(**self.request(), stream=True):
            if event.type == "response.output_text.delta":
                yield event.delta
            # This interface reports failures as events.
            if event.type in ("response.failed", "error"):
                raise RuntimeError(event.type)

    def next_turn(self, asked, sent):
        results = [
            {
                "type": "function_call_output",
                "call_id": item.call_id,
                "output": json.dumps(TOOL_RESULTS[item.name]),
            }
            for item in sent.output
            if item.type == "function_call"
        ]
        return {**asked, "input": [*asked["input"], *sent.output, *results]}

    def reply(self, sent):
        parts = [part for item in sent.output if item.type == "message" for part in item.content]
        return {
            "text": "".join(getattr(part, "text", None) or getattr(part, "refusal", "") for part in parts),
            "thought": "".join(
                part.text for item in sent.output if item.type == "reasoning" for part in item.summary
            ),
            "calls": [
                {"name": item.name, "input": json.loads(item.arguments)}
                for item in sent.output
                if item.type == "function_call"
            ],
            "finish": sent.incomplete_details.reason if sent.incomplete_details else sent.status,
            "tokens": sent.usage
            and {
                "input": sent.usage.input_tokens,
                "output": sent.usage.output_tokens,
                "cached": sent.usage.input_tokens_details.cached_tokens,
            },
            "requestId": getattr(sent, "_request_id", None),
            "dump": sent.model_dump(mode="json"),
        }

    def count(self):
        return self.client.responses.input_tokens.count(model=self.job["model"], input=PROMPT).input_tokens


class AnthropicMessages:
    def __init__(self, job, **options):
        self.job = job
        self.client = self.connect(base_url=job["url"], api_key=job["key"], **{"max_retries": 0, **options})

    def connect(self, **options):
        import anthropic

        return anthropic.Anthropic(**options)

    def request(self):
        content = PROMPT
        if self.job["does"] == "picture":
            source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
            content = [{"type": "text", "text": PROMPT}, {"type": "image", "source": source}]
        asked = {
            "model": self.job["model"],
            "max_tokens": MAX_TOKENS,
            "messages": [{"role": "user", "content": content}],
        }
        if self.job["does"] == "turn":
            asked["thinking"] = {"type": "enabled", "budget_tokens": THINKING_TOKENS}
            asked["max_tokens"] += THINKING_TOKENS
        if self.job["does"] == "structured":
            asked["output_format"] = City
        if wants_tools(self.job):
            asked["tools"] = [
                {"name": name, "description": text, "input_schema": schema(field)} for name, text, field in TOOLS
            ]
        return asked

    def send(self, asked):
        if not self.job["stream"]:
            return self.client.messages.parse(**asked)
        with self.client.messages.stream(**asked) as stream:
            return stream.get_final_message()

    def pieces(self):
        for event in self.client.messages.create(**self.request(), stream=True):
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                yield event.delta.text

    def next_turn(self, asked, sent):
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": json.dumps(TOOL_RESULTS[block.name])}
            for block in sent.content
            if block.type == "tool_use"
        ]
        turns = [{"role": "assistant", "content": sent.content}, {"role": "user", "content": results}]
        return {**asked, "messages": [*asked["messages"], *turns]}

    def reply(self, sent):
        cached = sent.usage.cache_read_input_tokens or 0
        return {
            "text": "".join(block.text for block in sent.content if block.type == "text"),
            "thought": "".join(block.thinking for block in sent.content if block.type == "thinking"),
            "calls": [{"name": block.name, "input": block.input} for block in sent.content if block.type == "tool_use"],
            "finish": sent.stop_reason,
            "tokens": {
                "input": sent.usage.input_tokens + cached + (sent.usage.cache_creation_input_tokens or 0),
                "output": sent.usage.output_tokens,
                "cached": cached,
            },
            "requestId": getattr(sent, "_request_id", None),
            "dump": sent.model_dump(mode="json"),
        }

    def count(self):
        asked = self.request()
        del asked["max_tokens"]
        return self.client.messages.count_tokens(**asked).input_tokens


class GoogleGemini:
    def __init__(self, job, **options):
        from google import genai
        from google.genai import types

        self.job, self.types = job, types
        self.client = genai.Client(api_key=job["key"], http_options=types.HttpOptions(base_url=job["url"], **options))

    def request(self):
        types = self.types
        parts = [types.Part.from_text(text=PROMPT)]
        if self.job["does"] == "picture":
            import base64

            parts.append(types.Part.from_bytes(data=base64.b64decode(PICTURE), mime_type="image/png"))
        config = {
            "max_output_tokens": MAX_TOKENS,
            "automatic_function_calling": types.AutomaticFunctionCallingConfig(disable=True),
        }
        if self.job["does"] == "turn":
            config["thinking_config"] = types.ThinkingConfig(include_thoughts=True)
        if self.job["does"] == "structured":
            config.update(response_mime_type="application/json", response_schema=City)
        if wants_tools(self.job):
            declarations = [
                types.FunctionDeclaration(name=name, description=text, parameters_json_schema=schema(field))
                for name, text, field in TOOLS
            ]
            config["tools"] = [types.Tool(function_declarations=declarations)]
        return {
            "model": self.job["model"],
            "contents": [types.Content(role="user", parts=parts)],
            "config": types.GenerateContentConfig(**config),
        }

    def send(self, asked):
        if self.job["stream"]:
            return list(self.client.models.generate_content_stream(**asked))
        return [self.client.models.generate_content(**asked)]

    def pieces(self):
        for answer in self.client.models.generate_content_stream(**self.request()):
            for part in parts_in([answer]):
                if part.text:
                    yield part.text

    def next_turn(self, asked, sent):
        types = self.types
        parts = parts_in(sent)
        results = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=part.function_call.id,
                    name=part.function_call.name,
                    response=TOOL_RESULTS[part.function_call.name],
                )
            )
            for part in parts
            if part.function_call
        ]
        turns = [types.Content(role="model", parts=parts), types.Content(role="user", parts=results)]
        return {**asked, "contents": [*asked["contents"], *turns]}

    def reply(self, sent):
        candidates = [answer.candidates[0] for answer in sent if answer.candidates]
        parts = parts_in(sent)
        usage = next((answer.usage_metadata for answer in reversed(sent) if answer.usage_metadata), None)
        finish = next((one.finish_reason for one in reversed(candidates) if one.finish_reason), None)
        dumps = [answer.model_dump(mode="json", exclude={"sdk_http_response", "parsed"}) for answer in sent]
        return {
            "text": "".join(part.text for part in parts if part.text and not part.thought),
            "thought": "".join(part.text for part in parts if part.text and part.thought),
            "calls": [
                {"name": part.function_call.name, "input": part.function_call.args or {}}
                for part in parts
                if part.function_call
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

    def count(self):
        return self.client.models.count_tokens(model=self.job["model"], contents=PROMPT).total_tokens

    def vectors(self):
        found = self.client.models.embed_content(model=self.job["model"], contents=["one", "two"])
        return [one.values for one in found.embeddings]


def parts_in(answers):
    candidates = [answer.candidates[0] for answer in answers if answer.candidates]
    return [part for one in candidates if one.content for part in one.content.parts or []]


OFFICIAL = {
    "openai chat": OpenAIChat,
    "openai responses": OpenAIResponses,
    "anthropic": AnthropicMessages,
    "google-genai": GoogleGemini,
}
