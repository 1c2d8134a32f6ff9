/**
 * The sign-in of this machine's user, in a file for them alone, and the lock under which it
 * changes: many agents ask at once.
 */
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { CommandError } from "../command-line/management-client.ts";

const signInShape = z.object({
  url: z.string(),
  accessToken: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
  refreshToken: z.string(),
});
export type StoredSignIn = z.output<typeof signInShape>;

/** Whoever holds the lock asks the gateway once. */
const lockWaitMs = 15_000;
/** A process that held it for longer has died. */
const lockStaleMs = 30_000;
const lockPollMs = 50;

export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/** The user's own folder; agents have theirs in it. */
export function readHome(environment: AgentEnvironment): string {
  const home = environment.HOME || environment.USERPROFILE;
  if (!home) throw new CommandError("HOME is not set: it says where your settings are");
  return home;
}

/** `readStateFolder` is the folder of our own files. */
export const readStateFolder = (environment: AgentEnvironment): string =>
  environment.TOLLGATE_HOME ||
  join(environment.XDG_CONFIG_HOME || join(readHome(environment), ".config"), "tollgate");

const composePath = (folder: string): string => join(folder, "sign-in.json");

/** Undefined where nobody is signed in, and for a file that another version wrote. */
export async function readSignIn(folder: string): Promise<StoredSignIn | undefined> {
  const text = await readFile(composePath(folder), "utf8").catch(() => "");
  try {
    const parsed = z.safeParse(signInShape, JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Writes beside the file and then gives it its name: nobody reads half of it. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, text, { mode: 0o600 });
  // The mode of a file that was left behind by a process that died.
  await chmod(beside, 0o600);
  await rename(beside, path);
}

export const writeSignIn = (folder: string, signIn: StoredSignIn): Promise<void> =>
  writePrivateFile(composePath(folder), `${JSON.stringify(signIn, null, 2)}\n`);

export const removeSignIn = (folder: string): Promise<void> =>
  rm(composePath(folder), { force: true });

/** Runs `act` while no other process of this user does. */
export async function withSignInLock<T>(folder: string, act: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "sign-in.lock");
  const until = Date.now() + lockWaitMs;
  for (;;) {
    const handle = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return undefined;
      throw error;
    });
    if (handle) {
      await handle.close();
      break;
    }
    const held = await stat(path).catch(() => undefined);
    if (held && Date.now() - held.mtimeMs > lockStaleMs) await rm(path, { force: true });
    else if (Date.now() > until) throw new CommandError(`another process holds ${path}`);
    else await wait(lockPollMs);
  }
  try {
    return await act();
  } finally {
    await rm(path, { force: true });
  }
}
