"""Drives LlamaIndex's models for OpenAI, Anthropic and Google."""

from driving import MAX_TOKENS, PROMPT, TOOLS, drive, tokens

CONTEXT_WINDOW = 200_000


def openai_chat(job):
    from llama_index.llms.openai import OpenAI
    from llama_index.llms.openai.utils import GPT4_MODELS, ALL_AVAILABLE_MODELS, CHAT_MODELS

    # The library knows the names of OpenAI's models alone.
    for known in (GPT4_MODELS, ALL_AVAILABLE_MODELS, CHAT_MODELS):
        known[job["model"]] = CONTEXT_WINDOW
    return OpenAI(
        model=job["model"],
        api_base=job["url"] + "/v1",
        api_key=job["key"],
        max_retries=0,
        additional_kwargs={"stream_options": {"include_usage": True}} if job["stream"] else {},
    )


def anthropic(job):
    from llama_index.llms.anthropic import Anthropic
    from llama_index.llms.anthropic.utils import ANTHROPIC_MODELS, CLAUDE_MODELS

    ANTHROPIC_MODELS[job["model"]] = CLAUDE_MODELS[job["model"]] = CONTEXT_WINDOW
    return Anthropic(model=job["model"], base_url=job["url"], api_key=job["key"], max_retries=0, max_tokens=MAX_TOKENS)


def google(job):
    from llama_index.llms.google_genai import GoogleGenAI

    return GoogleGenAI(
        model=job["model"],
        api_key=job["key"],
        http_options={"base_url": job["url"]},
        max_retries=0,
        max_tokens=MAX_TOKENS,
        context_window=CONTEXT_WINDOW,
    )


def tool_list():
    from llama_index.core.tools import FunctionTool

    def get_weather(city: str) -> str:
        return city

    def get_time(zone: str) -> str:
        return zone

    functions = {"get_weather": get_weather, "get_time": get_time}
    return [FunctionTool.from_defaults(functions[name], name=name, description=text) for name, text, _ in TOOLS]


def read(value, *names):
    for name in names:
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def usage_in(raw):
    usage = read(raw, "usage", "usage_metadata") if raw is not None else None
    if usage is None:
        return None
    details = read(usage, "prompt_tokens_details")
    cached = read(usage, "cache_read_input_tokens", "cached_content_token_count") or (details and read(details, "cached_tokens"))
    count = read(usage, "prompt_tokens", "input_tokens", "prompt_token_count") or 0
    # Anthropic counts what its cache served and what was written to it beside the rest.
    if read(usage, "input_tokens") is not None:
        count += (read(usage, "cache_read_input_tokens") or 0) + (read(usage, "cache_creation_input_tokens") or 0)
    output = read(usage, "completion_tokens", "output_tokens", "candidates_token_count") or 0
    return tokens(count, output + (read(usage, "thoughts_token_count") or 0), cached)


def ask(create):
    def asked(job):
        llm = create(job)
        asked_with = {"tools": tool_list(), "user_msg": PROMPT, "allow_parallel_tool_calls": True}
        if job["stream"]:
            answers = list(llm.stream_chat_with_tools(**asked_with))
            answer = answers[-1]
        else:
            answer = llm.chat_with_tools(**asked_with)
        calls = llm.get_tool_calls_from_response(answer, error_on_no_tool_call=False)
        thoughts = [block.content for block in answer.message.blocks if block.block_type == "thinking"]
        return {
            "text": answer.message.content or "",
            "thought": "".join(thought or "" for thought in thoughts),
            "calls": [{"name": call.tool_name, "input": call.tool_kwargs} for call in calls],
            "finish": "",
            # Its streams keep only the last event, which has no usage in some formats.
            "tokens": None if job["stream"] else usage_in(answer.raw),
        }

    return asked


drive(
    {
        "llama-index-llms-openai": ask(openai_chat),
        "llama-index-llms-anthropic": ask(anthropic),
        "llama-index-llms-google-genai": ask(google),
    }
)
