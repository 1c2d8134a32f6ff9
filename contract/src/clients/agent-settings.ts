/**
 * The settings with which each coding agent works with a gateway. Both writers of them have this
 * one home: "Use this key" in the console, with a key, and `tollgate use`, with a command that
 * prints one. Pure.
 */

/** Tokens that a model reads and writes in all, and writes at most. */
export interface ModelLimits {
  context: number;
  output: number;
}

/** `base` is the gateway's address with `/v1`. */
interface CodexTarget {
  base: string;
  model: string;
  limits?: ModelLimits | undefined;
  /** A variable that holds a key, or a command that prints one. */
  key: { variable: string } | { command: string; args: readonly string[] };
}

const json = JSON.stringify;

/**
 * Lines of `~/.codex/config.toml`: those that stand before any table, and the table of the
 * provider.
 */
export function writeCodexSettings({ base, model, limits, key }: CodexTarget): {
  top: string[];
  provider: string[];
} {
  return {
    top: [
      `model = ${json(model)}`,
      'model_provider = "tollgate"',
      // Codex knows the windows of a few models alone.
      ...(limits === undefined ? [] : [`model_context_window = ${limits.context}`]),
    ],
    provider: [
      "[model_providers.tollgate]",
      'name = "Tollgate"',
      `base_url = ${json(base)}`,
      ...("variable" in key ? [`env_key = ${json(key.variable)}`] : []),
      'wire_api = "responses"',
      "supports_websockets = true",
      ...("command" in key
        ? [
            "",
            "[model_providers.tollgate.auth]",
            `command = ${json(key.command)}`,
            `args = ${json(key.args).replaceAll('","', '", "')}`,
          ]
        : []),
    ],
  };
}

/**
 * `geminiSettings` make this choice because Gemini CLI refuses to start with an address of its own
 * and without it.
 */
export const geminiSettings = { security: { auth: { selectedType: "gemini-api-key" } } } as const;
export const buildGeminiVariables = ({ origin }: { origin: string }) => ({
  GOOGLE_GEMINI_BASE_URL: origin,
});
export const geminiKeyVariable = "GEMINI_API_KEY";

export const qwenSettings = { security: { auth: { selectedType: "openai" } } } as const;
export const buildQwenVariables = ({ base, model }: { base: string; model: string }) => ({
  OPENAI_BASE_URL: base,
  OPENAI_MODEL: model,
});
export const qwenKeyVariable = "OPENAI_API_KEY";

export const buildClaudeVariables = ({ origin, model }: { origin: string; model: string }) => ({
  ANTHROPIC_BASE_URL: origin,
  ANTHROPIC_MODEL: model,
});

interface OpenCodeTarget {
  base: string;
  /** A key, or `{env:NAME}`. */
  apiKey: string;
  model: string;
  limits?: ModelLimits | undefined;
}

export const buildOpenCodeSettings = ({ base, apiKey, model, limits }: OpenCodeTarget) => ({
  provider: {
    tollgate: {
      npm: "@ai-sdk/openai-compatible",
      name: "Tollgate",
      options: { baseURL: base, apiKey },
      // Without a window it shortens no conversation.
      models: { [model]: limits === undefined ? {} : { limit: limits } },
    },
  },
});
