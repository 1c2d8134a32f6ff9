// The task of an agent that is set up by the console's recipe: it reads a file, runs a command and
// edits the file, by the tools it has.
import type { AgentAnswer, AgentTurn, DeclaredTool } from "./agent-dialects.ts";

export const workTask =
  "Read greeting.txt, run the command `echo ran > proof.txt`, and correct the spelling of 'wrold' in greeting.txt.";
/** `editTask` is for agents that change files by words alone. */
export const editTask = "Correct the spelling of 'wrold' in greeting.txt.";
export const workFile = "greeting.txt";
export const proofFile = "proof.txt";
export const wrongText = "Hello, wrold!\n";
export const rightText = "Hello, world!\n";
const proof = "echo ran > proof.txt";
const done = "The greeting is spelt correctly now.";

/** A name that each tool has in some agent, most telling first. */
const readers = ["Read", "read_file", "read", "read_files", "view"];
const shells = [
  ...[
    "Bash",
    "bash",
    "exec_command",
    "run_shell_command",
    "shell",
    "run_commands",
    "execute_command",
    "run_command",
  ],
];
const editors = ["Edit", "replace", "edit", "edit_file", "multi_edit", "editor"];
const ends = ["attempt_completion", "submit", "submit_and_exit", "finish", "complete_task"];

const find = (tools: readonly DeclaredTool[], names: readonly string[]): DeclaredTool | undefined =>
  names
    .map((name) => tools.find((tool) => bareName(tool) === name))
    .find((tool) => tool !== undefined);

/** Other dialects join the namespace with the name. */
const bareName = ({ name }: DeclaredTool): string => name.replace(/^functions__/, "");

/** How agents ask a model to shorten their conversation. */
const asksForSummary =
  /create a (?:detailed|handoff|concise|new)[^"]{0,40}summary|<state_snapshot>|checkpoint compaction|continuing our conversation|summarize (?:the|this|our) conversation|structured context checkpoint|anchored summary/i;
const summary =
  "Summary: the user wants greeting.txt read, a command run, and the spelling corrected. Nothing is done yet.";

export function planWork({ tools, results, said, last }: AgentTurn, folder: string): AgentAnswer {
  if (asksForSummary.test(last)) return { words: summary };
  if (tools.length === 0) return { words: said.includes("file listing") ? wholeFile : done };
  const path = `${folder}/${workFile}`;
  const steps: readonly (() => AgentAnswer | undefined)[] = [
    () => readWith(find(tools, readers), path) ?? runWith(tools, `cat ${path}`),
    () => runWith(tools, proof),
    () => editWith(tools, path) ?? runWith(tools, `sed -i s/wrold/world/ ${path}`),
  ];
  return steps[results]?.() ?? endWith(tools) ?? { words: done };
}

/** The form in which aider asks an unknown model for changes: the whole file. */
const wholeFile = `${workFile}\n\`\`\`\n${rightText}\`\`\`\n`;

const propertiesOf = ({
  parameters,
}: DeclaredTool): Record<string, { type?: unknown; items?: unknown }> =>
  (parameters.properties ?? {}) as Record<string, { type?: unknown; items?: unknown }>;
const memberOf = (tool: DeclaredTool, names: readonly string[]): string | undefined =>
  names.find((name) => name in propertiesOf(tool));

const pathMembers = ["file_path", "absolute_path", "filePath", "filepath", "path"];

function readWith(tool: DeclaredTool | undefined, path: string): AgentAnswer | undefined {
  if (!tool) return undefined;
  const member = memberOf(tool, pathMembers);
  if (member !== undefined) return { tool, input: { ...required(tool), [member]: path } };
  const files = memberOf(tool, ["files", "paths"]);
  if (files === undefined) return undefined;
  const { properties } = (propertiesOf(tool)[files]?.items ?? {}) as { properties?: object };
  const inner = pathMembers.find((name) => name in (properties ?? {}));
  return {
    tool,
    input: { ...required(tool), [files]: [inner === undefined ? path : { [inner]: path }] },
  };
}

function runWith(tools: readonly DeclaredTool[], command: string): AgentAnswer | undefined {
  const code = find(tools, ["exec"]);
  // Codex's newest models run tools by a program.
  if (code && /JavaScript/.test(code.description)) {
    const program = `const done = await tools.exec_command(${JSON.stringify({ cmd: command })}); text(JSON.stringify(done));`;
    return { tool: code, input: code.isCustom ? program : { input: program } };
  }
  const tool = find(tools, shells);
  if (!tool) return undefined;
  const member = memberOf(tool, ["command", "cmd", "commands", "script"]) ?? "command";
  const isList = propertiesOf(tool)[member]?.type === "array" || member === "commands";
  return { tool, input: { ...required(tool), [member]: isList ? [command] : command } };
}

const oldMembers = ["old_string", "oldString", "old_text", "oldText", "old_str"];
const newMembers = ["new_string", "newString", "new_text", "newText", "new_str"];
const oldWords = wrongText.trim();
const newWords = rightText.trim();

function editWith(tools: readonly DeclaredTool[], path: string): AgentAnswer | undefined {
  const patch = find(tools, ["apply_patch"]);
  if (patch) {
    const written = `*** Begin Patch\n*** Update File: ${path}\n@@\n-${oldWords}\n+${newWords}\n*** End Patch`;
    return {
      tool: patch,
      input: patch.isCustom
        ? written
        : { [memberOf(patch, ["input", "patchText", "patch"]) ?? "input"]: written },
    };
  }
  const tool = find(tools, editors);
  const file = tool && memberOf(tool, pathMembers);
  if (!tool || file === undefined) return undefined;
  const before = memberOf(tool, oldMembers);
  const after = memberOf(tool, newMembers);
  if (before !== undefined && after !== undefined)
    return {
      tool,
      input: { ...required(tool), [file]: path, [before]: oldWords, [after]: newWords },
    };
  const edits = memberOf(tool, ["edits"]);
  if (edits === undefined) return undefined;
  const { properties = {} } = (propertiesOf(tool)[edits]?.items ?? {}) as { properties?: object };
  const [from = "oldText"] = oldMembers.filter((name) => name in properties);
  const [to = "newText"] = newMembers.filter((name) => name in properties);
  return {
    tool,
    input: { ...required(tool), [file]: path, [edits]: [{ [from]: oldWords, [to]: newWords }] },
  };
}

function endWith(tools: readonly DeclaredTool[]): AgentAnswer | undefined {
  const tool = find(tools, ends);
  if (tool) return { tool, input: { ...required(tool) } };
  // mini-swe-agent has one tool, and ends at the command that says these words.
  const [only] = tools;
  if (tools.length !== 1 || !only || !shells.includes(only.name)) return undefined;
  return runWith(tools, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT");
}

/** Words for the members that a tool demands besides. */
function required(tool: DeclaredTool): Record<string, unknown> {
  const names = Array.isArray(tool.parameters.required)
    ? (tool.parameters.required as unknown[])
    : [];
  const properties = propertiesOf(tool);
  return Object.fromEntries(
    names
      .filter((name): name is string => typeof name === "string")
      .map((name) => {
        const { type, ...more } = (properties[name] ?? {}) as {
          type?: unknown;
          enum?: readonly unknown[];
        };
        if (more.enum) return [name, more.enum[0]];
        // Of a tool that ends the task: it is verified.
        if (type === "boolean") return [name, ends.includes(tool.name)];
        if (type === "number" || type === "integer") return [name, 1];
        return [name, type === "array" ? [] : type === "object" ? {} : "It was done as asked."];
      }),
  );
}
