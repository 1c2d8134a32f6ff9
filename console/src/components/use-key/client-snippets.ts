/**
 * Snippets, ready to copy, with which a program calls the gateway with a key. Pure. The settings of
 * coding agents have their home in the contract.
 */
import type { DisplayedProvider } from "@tollgate/contract/catalogue/models.ts";
import {
  buildClaudeVariables,
  buildGeminiVariables,
  buildOpenCodeSettings,
  buildQwenVariables,
  geminiKeyVariable,
  geminiSettings,
  type ModelLimits,
  qwenKeyVariable,
  writeCodexSettings,
} from "@tollgate/contract/clients/agent-settings.ts";

export type SnippetTarget = {
  /** The gateway's address without a path. */
  origin: string;
  key: string;
  model: string;
  /**
   * Tokens that the model reads and writes in all, and writes at most; missing where they are not
   * known.
   */
  limits?: ModelLimits | undefined;
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
  "qwen-code": "Qwen Code",
  pi: "pi",
  kilo: "Kilo Code",
  continue: "Continue",
  aider: "aider",
  "mini-swe-agent": "mini-swe-agent",
  cursor: "Cursor",
  cline: "Cline",
  "cherry-studio": "Cherry Studio",
  "open-webui": "Open WebUI",
} as const;
export type ClientName = keyof typeof clientNames;
export const allClients = Object.keys(clientNames) as ClientName[];

const question = "Say hello.";

/** A POSIX shell takes everything between single quotes as it is. */
const formatShellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const json = JSON.stringify;
const formatPrettyJson = (value: unknown): string => JSON.stringify(value, null, 2);

type WriterTarget = SnippetTarget & { base: string };

const openCodeSettings = ({ base, key, model, limits }: WriterTarget, $schema: string): string =>
  formatPrettyJson({ $schema, ...buildOpenCodeSettings({ base, apiKey: key, model, limits }) });

const codexKeyVariable = "TOLLGATE_API_KEY";

/** Lines of a POSIX shell. */
const listExports = (variables: Readonly<Record<string, string>>): string[] =>
  Object.entries(variables).map(([name, value]) => `export ${name}=${formatShellText(value)}`);

type SnippetWriter = (target: WriterTarget) => readonly (Snippet | SnippetFields)[];

const writers: Record<ClientName, SnippetWriter> = {
  curl: ({ base, key, model }) => [
    {
      place: "Terminal",
      text: [
        `curl ${base}/chat/completions \\`,
        `  -H ${formatShellText(`Authorization: Bearer ${key}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${formatShellText(json({ model, messages: [{ role: "user", content: question }] }))}`,
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
        ...listExports({ ...buildClaudeVariables({ origin, model }), ANTHROPIC_AUTH_TOKEN: key }),
        "claude",
      ].join("\n"),
    },
  ],
  codex: ({ base, key, model, limits }) => {
    const { top, provider } = writeCodexSettings({
      base,
      model,
      limits,
      key: { variable: codexKeyVariable },
    });
    return [
      { place: "~/.codex/config.toml", text: [...top, "", ...provider].join("\n") },
      { place: "Terminal", text: `export ${codexKeyVariable}=${formatShellText(key)}\ncodex` },
    ];
  },
  "gemini-cli": ({ origin, key, model }) => [
    { place: "~/.gemini/settings.json", text: formatPrettyJson(geminiSettings) },
    {
      place: "Terminal",
      text: [
        ...listExports({ ...buildGeminiVariables({ origin }), [geminiKeyVariable]: key }),
        `gemini -m ${formatShellText(model)}`,
      ].join("\n"),
    },
  ],
  opencode: (target) => [
    { place: "opencode.json", text: openCodeSettings(target, "https://opencode.ai/config.json") },
    { place: "Terminal", text: `opencode --model ${formatShellText(`tollgate/${target.model}`)}` },
  ],
  "qwen-code": ({ base, key, model }) => [
    {
      place: "Terminal",
      text: [
        ...listExports({ ...buildQwenVariables({ base, model }), [qwenKeyVariable]: key }),
        "qwen --auth-type openai",
      ].join("\n"),
    },
  ],
  pi: ({ base, key, model, limits }) => [
    {
      place: "~/.pi/agent/models.json",
      text: formatPrettyJson({
        providers: {
          tollgate: {
            baseUrl: base,
            api: "openai-completions",
            apiKey: key,
            models: [
              {
                id: model,
                ...(limits && { contextWindow: limits.context, maxTokens: limits.output }),
              },
            ],
          },
        },
      }),
    },
    { place: "Terminal", text: `pi --provider tollgate --model ${formatShellText(model)}` },
  ],
  // A relative of OpenCode.
  kilo: (target) => [
    { place: "kilo.json", text: openCodeSettings(target, "https://app.kilo.ai/config.json") },
    { place: "Terminal", text: `kilo --model ${formatShellText(`tollgate/${target.model}`)}` },
  ],
  continue: ({ base, key, model }) => [
    {
      place: "~/.continue/config.yaml",
      // JSON strings are YAML as well.
      text: [
        "name: Tollgate",
        "version: 1.0.0",
        "schema: v1",
        "models:",
        `  - name: ${json(model)}`,
        "    provider: openai",
        `    model: ${json(model)}`,
        `    apiBase: ${json(base)}`,
        `    apiKey: ${json(key)}`,
        "    roles: [chat, edit, apply]",
      ].join("\n"),
    },
    { place: "Terminal", text: "cn" },
  ],
  aider: ({ base, key, model }) => [
    {
      place: "Terminal",
      text: [
        `export OPENAI_API_BASE=${formatShellText(base)}`,
        `export OPENAI_API_KEY=${formatShellText(key)}`,
        `aider --model ${formatShellText(`openai/${model}`)}`,
      ].join("\n"),
    },
  ],
  "mini-swe-agent": ({ base, key, model }) => [
    {
      place: "Terminal",
      text: [
        `export OPENAI_API_BASE=${formatShellText(base)}`,
        `export OPENAI_API_KEY=${formatShellText(key)}`,
        // It knows no prices of this gateway, and would refuse to go on without them.
        "export MSWEA_COST_TRACKING=ignore_errors",
        `mini --model ${formatShellText(`openai/${model}`)}`,
      ].join("\n"),
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
    {
      place: "Terminal",
      text: [
        `cline auth -p openai -b ${formatShellText(base)} -k ${formatShellText(key)} -m ${formatShellText(model)}`,
        "cline",
      ].join("\n"),
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

export const listSnippets = (
  client: ClientName,
  target: SnippetTarget,
): readonly (Snippet | SnippetFields)[] =>
  writers[client]({ ...target, base: `${target.origin}/v1` });

/** The limits of a model in the list of prices; undefined where its window is not known. */
export function findLimits(
  providers: Readonly<Record<string, DisplayedProvider>>,
  model: string,
): ModelLimits | undefined {
  const shown = Object.values(providers).map(({ models }) => models[model]);
  const known = shown.find((one) => one?.context_window !== undefined && one.context_window > 0);
  if (known?.context_window === undefined) return undefined;
  const { context_window: context, max_tokens } = known;
  return { context, output: max_tokens > 0 ? max_tokens : context };
}
