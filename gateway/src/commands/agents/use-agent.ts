/** Writes an agent's settings, and takes out again what it wrote. */
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { CommandError } from "../command-line/management-client.ts";
import { type FileEdit, findWriter, type UsedAgent, type UseTarget } from "./agent-writers.ts";
import { addMarked, removeMarked } from "./marked-text.ts";
import { isMembers, mergeMembers, type SettingsMembers, unmergeMembers } from "./merged-json.ts";
import { writePrivateFile } from "./sign-in-file.ts";

/** `receiptShape` holds each file as it was before, and as we made it. Kept until the undoing. */
const receiptShape = z.array(
  z.object({
    path: z.string(),
    /** Null where there was no file. */
    before: z.nullable(z.string()),
    after: z.string(),
    /** Members that we wrote; null for a file of lines. */
    members: z.nullable(z.record(z.string(), z.unknown())),
  }),
);
type Receipt = z.output<typeof receiptShape>;

export interface AgentFiles {
  /** The folder of the receipts. */
  folder: string;
  agent: UsedAgent;
}

const receiptPath = ({ folder, agent }: AgentFiles): string =>
  join(folder, "used", `${agent}.json`);

async function readReceipt(files: AgentFiles): Promise<Receipt> {
  const text = await readFile(receiptPath(files), "utf8").catch(() => "[]");
  const parsed = z.safeParse(receiptShape, JSON.parse(text));
  return parsed.success ? parsed.data : [];
}

const readText = (path: string): Promise<string | null> =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new CommandError(`${path} cannot be read: ${error.code}`);
  });

function parseMembers(path: string, text: string | null): SettingsMembers {
  if (text === null || text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isMembers(value)) return value;
  } catch {
    // Comments, for instance: they would be lost.
  }
  throw new CommandError(
    `${path} is no plain JSON: see what belongs there with --print, and write it yourself`,
  );
}

const formatMembers = (members: SettingsMembers): string => `${JSON.stringify(members, null, 2)}\n`;

const editText = (edit: FileEdit, before: string | null): string =>
  "members" in edit
    ? formatMembers(mergeMembers(parseMembers(edit.path, before), edit.members))
    : addMarked(before ?? "", edit.lines);

/** Through a symbolic link to the file itself, whose permissions stay. */
async function writeSettings(path: string, text: string): Promise<void> {
  const place = await realpath(path).catch(() => path);
  await mkdir(dirname(place), { recursive: true });
  const mode = (await stat(place).catch(() => undefined))?.mode ?? 0o600;
  const beside = `${place}.tollgate`;
  await writeFile(beside, text, { mode: mode & 0o777 });
  await rename(beside, place);
}

/** The text of a file without ours; null where there would be none. */
function takeOut(
  { path, before, after, members }: Receipt[number],
  present: string | null,
): string | null {
  if (present === null || present === after) return before;
  if (members === null) {
    const rest = removeMarked(present);
    return rest === "" && before === null ? null : rest;
  }
  const rest = unmergeMembers(parseMembers(path, present), members, parseMembers(path, before));
  return Object.keys(rest).length === 0 && before === null ? null : formatMembers(rest);
}

export async function useAgent(target: UseTarget, files: AgentFiles, isPrinted: boolean) {
  const { origin } = target;
  const edits = findWriter(files.agent).edits({ ...target, base: `${origin}/v1` });
  const earlier = await readReceipt(files);
  const receipt: Receipt = [];
  for (const edit of edits) {
    const present = await readText(edit.path);
    const known = earlier.find(({ path }) => path === edit.path);
    const before = known ? takeOut(known, present) : present;
    const after = editText(edit, before);
    receipt.push({
      path: edit.path,
      before,
      after,
      members: "members" in edit ? edit.members : null,
    });
  }
  if (isPrinted) return receipt;
  // First the way back.
  await writePrivateFile(receiptPath(files), JSON.stringify(receipt));
  for (const { path, after } of receipt) await writeSettings(path, after);
  return receipt;
}

/** The files that are as they were. */
export async function stopUsingAgent(files: AgentFiles): Promise<string[]> {
  const receipt = await readReceipt(files);
  if (receipt.length === 0) throw new CommandError(`nothing of ${files.agent} was written here`);
  for (const one of receipt) {
    const present = await readText(one.path);
    if (present === null) continue;
    const text = takeOut(one, present);
    if (text === null) await rm(one.path, { force: true });
    else if (text !== present) await writeSettings(one.path, text);
  }
  await rm(receiptPath(files), { force: true });
  return receipt.map(({ path }) => path);
}
