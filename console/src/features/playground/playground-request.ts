/** The request of the playground, as the console sends it and as a program would. Pure. */

export type PlaygroundImage = { name: string; dataUrl: string };
export type ToolCall = { id: string; name: string; arguments: string };

export type PlaygroundMessage =
  | { role: "user"; text: string; images: readonly PlaygroundImage[] }
  | { role: "assistant"; text: string; toolCalls: readonly ToolCall[] };

export type PlaygroundSettings = {
  system: string;
  /** `temperature` is as typed; empty leaves the choice to the provider. */
  temperature: string;
  maxTokens: string;
  /** A JSON list of tools; empty for none. */
  tools: string;
  isStream: boolean;
};

export type SettingsProblem = "temperature" | "max_tokens" | "tools";

const temperatureMax = 2;

/** The first setting that cannot be sent. */
export function findSettingsProblem({
  temperature,
  maxTokens,
  tools,
}: PlaygroundSettings): SettingsProblem | undefined {
  const degree = temperature.trim() === "" ? 0 : Number(temperature);
  if (!(degree >= 0 && degree <= temperatureMax)) return "temperature";
  if (maxTokens.trim() !== "" && !/^[1-9]\d{0,6}$/.test(maxTokens.trim())) return "max_tokens";
  return tools.trim() === "" || parseTools(tools) !== undefined ? undefined : "tools";
}

function parseTools(text: string): unknown[] | undefined {
  try {
    const tools: unknown = JSON.parse(text);
    return Array.isArray(tools) ? tools : undefined;
  } catch {
    return undefined;
  }
}

/** A body of Chat Completions. The settings must have no problem. */
export function buildChatBody(
  model: string,
  messages: readonly PlaygroundMessage[],
  { system, temperature, maxTokens, tools, isStream }: PlaygroundSettings,
): Record<string, unknown> {
  const sentTools = tools.trim() === "" ? undefined : parseTools(tools);
  return {
    model,
    messages: [
      ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
      // A tool call needs its result next, and the playground runs no tools: only its text goes on.
      ...messages
        .filter((message) => message.role === "user" || message.text !== "")
        .map(formatWireMessage),
    ],
    ...(temperature.trim() === "" ? {} : { temperature: Number(temperature) }),
    ...(maxTokens.trim() === "" ? {} : { max_tokens: Number(maxTokens) }),
    ...(sentTools === undefined ? {} : { tools: sentTools }),
    ...(isStream ? { stream: true } : {}),
  };
}

function formatWireMessage(message: PlaygroundMessage): Record<string, unknown> {
  if (message.role === "assistant" || message.images.length === 0) {
    return { role: message.role, content: message.text };
  }
  const images = message.images.map(({ dataUrl }) => ({
    type: "image_url",
    image_url: { url: dataUrl },
  }));
  return { role: "user", content: [{ type: "text", text: message.text }, ...images] };
}

export type CodeLanguage = "curl" | "Python" | "TypeScript";
export const codeLanguages: readonly CodeLanguage[] = ["curl", "Python", "TypeScript"];

const imageCharsMax = 60;
/** Images are named, not repeated: a megabyte of text is no example. */
const addShortImages = (_: string, value: unknown): unknown =>
  typeof value === "string" && value.startsWith("data:image/")
    ? `${value.slice(0, imageCharsMax)}...`
    : value;

/**
 * `readCode` does the same call as code. The key is a placeholder: the playground's own is valid
 * for minutes.
 */
export function readCode(
  language: CodeLanguage,
  origin: string,
  body: Record<string, unknown>,
): string {
  const base = `${origin}/v1`;
  const json = JSON.stringify(body, addShortImages, 2);
  if (language === "curl") {
    return [
      `curl ${base}/chat/completions \\`,
      '  -H "Authorization: Bearer $API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '${json.replaceAll("'", "'\\''")}'`,
    ].join("\n");
  }
  if (language === "Python") {
    return [
      "import json, os",
      "from openai import OpenAI",
      "",
      `client = OpenAI(base_url=${JSON.stringify(base)}, api_key=os.environ["API_KEY"])`,
      `body = json.loads(${JSON.stringify(json)})`,
      "reply = client.chat.completions.create(**body)",
      body.stream === true
        ? 'for chunk in reply:\n    if chunk.choices:\n        print(chunk.choices[0].delta.content or "", end="")'
        : "print(reply.choices[0].message.content)",
    ].join("\n");
  }
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${JSON.stringify(base)}, apiKey: process.env.API_KEY });`,
    `const reply = await client.chat.completions.create(${json});`,
    body.stream === true
      ? 'for await (const chunk of reply) process.stdout.write(chunk.choices[0]?.delta.content ?? "");'
      : "console.log(reply.choices[0]?.message.content);",
  ].join("\n");
}
