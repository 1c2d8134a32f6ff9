/** What a program needs to call the gateway with a key, ready to copy. Pure. */

export type SnippetTarget = {
  /** The gateway's address without a path. */
  origin: string;
  key: string;
  model: string;
};

export type Snippet = {
  /** A file name, or the name of the place where the text goes. */
  place: string;
  text: string;
};

/** A place that is an application's form: each value goes into the field of that name. */
export type SnippetFields = { place: string; fields: readonly { name: string; value: string }[] };

export const clientNames = {
  curl: "curl",
  python: "Python",
  typescript: "TypeScript",
  anthropic: "Anthropic",
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  opencode: "OpenCode",
  cursor: "Cursor",
  cline: "Cline",
  "cherry-studio": "Cherry Studio",
  "open-webui": "Open WebUI",
} as const;
export type ClientName = keyof typeof clientNames;
export const allClients = Object.keys(clientNames) as ClientName[];

const question = "Say hello.";

/** A POSIX shell takes everything between single quotes as it is. */
const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const json = JSON.stringify;
const prettyJson = (value: unknown): string => JSON.stringify(value, null, 2);

type SnippetWriter = (target: SnippetTarget & { base: string }) => readonly (Snippet | SnippetFields)[];

const writers: Record<ClientName, SnippetWriter> = {
  curl: ({ base, key, model }) => [
    {
      place: "Terminal",
      text: [
        `curl ${base}/chat/completions \\`,
        `  -H ${shellText(`Authorization: Bearer ${key}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shellText(json({ model, messages: [{ role: "user", content: question }] }))}`,
      ].join("\n"),
    },
  ],
  python: ({ base, key, model }) => [
    { place: "Terminal", text: "pip install openai" },
    {
      place: "hello.py",
      text: [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${json(base)}, api_key=${json(key)})`,
        "reply = client.chat.completions.create(",
        `    model=${json(model)},`,
        `    messages=[{"role": "user", "content": ${json(question)}}],`,
        ")",
        "print(reply.choices[0].message.content)",
      ].join("\n"),
    },
  ],
  typescript: ({ base, key, model }) => [
    { place: "Terminal", text: "npm install openai" },
    {
      place: "hello.ts",
      text: [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${json(base)}, apiKey: ${json(key)} });`,
        "const reply = await client.chat.completions.create({",
        `  model: ${json(model)},`,
        `  messages: [{ role: "user", content: ${json(question)} }],`,
        "});",
        "console.log(reply.choices[0]?.message.content);",
      ].join("\n"),
    },
  ],
  // Anthropic's libraries append /v1 themselves.
  anthropic: ({ origin, key, model }) => [
    { place: "Terminal", text: "pip install anthropic" },
    {
      place: "hello.py",
      text: [
        "from anthropic import Anthropic",
        "",
        `client = Anthropic(base_url=${json(origin)}, api_key=${json(key)})`,
        "reply = client.messages.create(",
        `    model=${json(model)},`,
        "    max_tokens=200,",
        `    messages=[{"role": "user", "content": ${json(question)}}],`,
        ")",
        "print(reply.content[0].text)",
      ].join("\n"),
    },
  ],
  "claude-code": ({ origin, key, model }) => [
    {
      place: "Terminal",
      text: [
        `export ANTHROPIC_BASE_URL=${shellText(origin)}`,
        `export ANTHROPIC_AUTH_TOKEN=${shellText(key)}`,
        `export ANTHROPIC_MODEL=${shellText(model)}`,
        "claude",
      ].join("\n"),
    },
  ],
  codex: ({ base, key, model }) => [
    {
      place: "~/.codex/config.toml",
      text: [
        `model = ${json(model)}`,
        'model_provider = "tollgate"',
        "",
        "[model_providers.tollgate]",
        'name = "Tollgate"',
        `base_url = ${json(base)}`,
        'env_key = "TOLLGATE_API_KEY"',
        'wire_api = "responses"',
      ].join("\n"),
    },
    { place: "Terminal", text: `export TOLLGATE_API_KEY=${shellText(key)}\ncodex` },
  ],
  "gemini-cli": ({ origin, key, model }) => [
    {
      place: "Terminal",
      text: [
        `export GOOGLE_GEMINI_BASE_URL=${shellText(origin)}`,
        `export GEMINI_API_KEY=${shellText(key)}`,
        `gemini -m ${shellText(model)}`,
      ].join("\n"),
    },
  ],
  opencode: ({ base, key, model }) => [
    {
      place: "opencode.json",
      text: prettyJson({
        $schema: "https://opencode.ai/config.json",
        provider: {
          tollgate: {
            npm: "@ai-sdk/openai-compatible",
            name: "Tollgate",
            options: { baseURL: base, apiKey: key },
            models: { [model]: {} },
          },
        },
      }),
    },
  ],
  cursor: ({ base, key, model }) => [
    {
      place: "Settings › Models › API Keys",
      fields: [
        { name: "OpenAI API Key", value: key },
        { name: "Override OpenAI Base URL", value: base },
        { name: "Add model", value: model },
      ],
    },
  ],
  cline: ({ base, key, model }) => [
    {
      place: "Settings › API Provider › OpenAI Compatible",
      fields: [
        { name: "Base URL", value: base },
        { name: "OpenAI Compatible API Key", value: key },
        { name: "Model ID", value: model },
      ],
    },
  ],
  // Cherry Studio appends /v1 to an address without a version.
  "cherry-studio": ({ origin, key, model }) => [
    {
      place: "Settings › Model Provider › Add › OpenAI",
      fields: [
        { name: "API Key", value: key },
        { name: "API Host", value: origin },
        { name: "Model ID", value: model },
      ],
    },
  ],
  "open-webui": ({ base, key, model }) => [
    {
      place: "Admin Panel › Settings › Connections › OpenAI API",
      fields: [
        { name: "URL", value: base },
        { name: "Key", value: key },
        { name: "Model IDs", value: model },
      ],
    },
  ],
};

export const snippetsOf = (client: ClientName, target: SnippetTarget): readonly (Snippet | SnippetFields)[] =>
  writers[client]({ ...target, base: `${target.origin}/v1` });
