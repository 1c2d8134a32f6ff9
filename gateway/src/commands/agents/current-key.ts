/** The key that agents use now: from the file where it is good for a while, else renewed. */
import { CommandError } from "../command-line/management-client.ts";
import { renewSignInTokens } from "./agent-door.ts";
import {
  readSignIn,
  removeSignIn,
  type StoredSignIn,
  withSignInLock,
  writeSignIn,
} from "./sign-in-file.ts";

/** Agents keep what a key helper printed for five minutes. */
const goodForMs = 10 * 60_000;

const notSignedIn = "you are not signed in: tollgate login URL";

const isGood = ({ expiresAt }: StoredSignIn, forMs: number): boolean =>
  expiresAt - Date.now() > forMs;

export async function requireSignIn(folder: string): Promise<StoredSignIn> {
  const signIn = await readSignIn(folder);
  if (!signIn) throw new CommandError(notSignedIn);
  return signIn;
}

export async function readCurrentKey(folder: string): Promise<string> {
  const stored = await requireSignIn(folder);
  if (isGood(stored, goodForMs)) return stored.accessToken;
  return await withSignInLock(folder, async () => {
    // Another process may have renewed it meanwhile.
    const present = await requireSignIn(folder);
    if (isGood(present, goodForMs)) return present.accessToken;
    const renewed = await renewSignInTokens(present).catch((error: unknown) => {
      // While the gateway restarts, the key that is there still works.
      if (error instanceof CommandError && isGood(present, 0)) return present;
      throw error;
    });
    if (!renewed) {
      await removeSignIn(folder);
      throw new CommandError(`your sign-in has ended: tollgate login ${present.url}`);
    }
    await writeSignIn(folder, renewed);
    return renewed.accessToken;
  });
}
