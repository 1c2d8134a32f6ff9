/**
 * Files that `tollgate use` writes for each agent, and their contents. Pure; the recipes themselves
 * are the console's too.
 */
import { join } from "node:path";
import {
  buildClaudeVariables,
  buildGeminiVariables,
  buildOpenCodeSettings,
  buildQwenVariables,
  geminiKeyVariable,
  geminiSettings,
  qwenKeyVariable,
  qwenSettings,
  writeCodexSettings,
} from "@tollgate/contract/clients/agent-settings.ts";
import type { MarkedEdit } from "./marked-text.ts";
import type { SettingsMembers } from "./merged-json.ts";
import { type AgentEnvironment, readHome } from "./sign-in-file.ts";

/** `FileEdit` is the change of a file. */
export type FileEdit = { path: string } & ({ members: SettingsMembers } | { lines: MarkedEdit });

export interface UseTarget {
  /** The gateway's address without a path. */
  origin: string;
  model: string;
  /** `helper` prints a key: the program and its arguments. */
  helper: readonly [string, ...string[]];
  environment: AgentEnvironment;
}

interface AgentWriter {
  /** The title as people know it. */
  title: string;
  /** The models that it is made for, the best kind first; empty for one that works with any. */
  models: readonly RegExp[];
  edits(target: UseTarget & { base: string }): FileEdit[];
  /** `start` is the command that starts the agent then. */
  start(target: { model: string; helper: readonly string[] }): string;
}

/** A POSIX shell takes everything between single quotes as it is. */
const quote = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
const writeCommand = (words: readonly string[]): string => words.map(quote).join(" ");

/**
 * Files of variables are read by the agents themselves: later lines win there, and ours stand
 * behind those that are set aside.
 */
function writeVariables(path: string, variables: Readonly<Record<string, string>>): FileEdit {
  const names = Object.keys(variables);
  const isOne = new RegExp(`^\\s*(?:export\\s+)?(?:${names.join("|")})\\s*=`);
  const bottom = Object.entries(variables).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return { path, lines: { bottom, replaces: (line) => isOne.test(line) } };
}

const ownCodexTable = /^\[\s*model_providers\s*\.\s*"?tollgate"?\s*[.\]]/;
const codexTopMember = /^\s*(?:model|model_provider|model_context_window|profile)\s*=/;
const openCodeKeyVariable = "TOLLGATE_API_KEY";

export const agentWriters = {
  claude: {
    title: "Claude Code",
    models: [/^claude-opus/, /^claude-sonnet/, /^claude/, /^anthropic/],
    edits: ({ origin, model, helper, environment }) => [
      {
        path: join(
          environment.CLAUDE_CONFIG_DIR || join(readHome(environment), ".claude"),
          "settings.json",
        ),
        members: {
          env: {
            ...buildClaudeVariables({ origin, model }),
            CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: "1",
          },
          apiKeyHelper: writeCommand(helper),
        },
      },
    ],
    start: () => "claude",
  },
  codex: {
    title: "Codex",
    models: [/^gpt-\d.*-codex$/, /^gpt-\d/, /codex/],
    edits({ base, model, helper: [command, ...args], environment }) {
      const { top, provider } = writeCodexSettings({ base, model, key: { command, args } });
      return [
        {
          path: join(
            environment.CODEX_HOME || join(readHome(environment), ".codex"),
            "config.toml",
          ),
          lines: {
            top,
            bottom: provider,
            replaces: (line, table) =>
              ownCodexTable.test(table) || (table === "" && codexTopMember.test(line)),
          },
        },
      ];
    },
    start: () => "codex",
  },
  gemini: {
    title: "Gemini CLI",
    models: [/^gemini-.*-pro/, /^gemini-/],
    edits({ origin, environment }) {
      const folder = join(readHome(environment), ".gemini");
      return [
        { path: join(folder, "settings.json"), members: geminiSettings },
        writeVariables(join(folder, ".env"), buildGeminiVariables({ origin })),
      ];
    },
    start: ({ model, helper }) =>
      `${geminiKeyVariable}="$(${writeCommand(helper)})" gemini -m ${quote(model)}`,
  },
  opencode: {
    title: "OpenCode",
    models: [],
    edits({ base, model, environment }) {
      const folder = join(
        environment.XDG_CONFIG_HOME || join(readHome(environment), ".config"),
        "opencode",
      );
      const apiKey = `{env:${openCodeKeyVariable}}`;
      return [
        {
          path: join(folder, "opencode.json"),
          members: {
            ...buildOpenCodeSettings({ base, apiKey, model }),
            model: `tollgate/${model}`,
          },
        },
      ];
    },
    start: ({ helper }) => `${openCodeKeyVariable}="$(${writeCommand(helper)})" opencode`,
  },
  qwen: {
    title: "Qwen Code",
    models: [/^qwen.*coder/, /^qwen/],
    edits({ base, model, environment }) {
      const folder = join(readHome(environment), ".qwen");
      return [
        { path: join(folder, "settings.json"), members: qwenSettings },
        writeVariables(join(folder, ".env"), buildQwenVariables({ base, model })),
      ];
    },
    start: ({ helper }) => `${qwenKeyVariable}="$(${writeCommand(helper)})" qwen`,
  },
} as const satisfies Record<string, AgentWriter>;

const byVersion = new Intl.Collator("en", { numeric: true });

/**
 * `chooseFittingModel` takes, of those that a key may use, the newest of the best kind by its name;
 * undefined where none fits.
 */
export function chooseFittingModel(
  { models }: Pick<AgentWriter, "models">,
  offered: readonly string[],
): string | undefined {
  const kinds = models.length === 0 ? [/^/] : models;
  const found = kinds
    .map((kind) => offered.filter((id) => kind.test(id)).sort(byVersion.compare))
    .find((ids) => ids.length > 0);
  return found?.at(-1);
}

export type UsedAgent = keyof typeof agentWriters;
export const usedAgents = Object.keys(agentWriters) as UsedAgent[];
export const findWriter = (agent: UsedAgent): AgentWriter => agentWriters[agent];
