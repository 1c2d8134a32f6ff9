/**
 * A new key goes into a file that only its owner reads, and not to the screen, where the command
 * asks for that.
 */
import { rmSync, writeFileSync } from "node:fs";
import { isMaskedKey, maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import type { GivenOptions } from "./command-row.ts";
import type { ManagedResource } from "./managed-resources.ts";
import { CommandError } from "./management-client.ts";
import type { VerbRun } from "./resource-input.ts";
import { makesSecret } from "./resource-verbs.ts";
import { visible } from "./visible-text.ts";

/**
 * `findSecretTarget` says where the key goes that a creation or rotation shows. Decided before the
 * call, because no later reply shows it to a management key.
 */
export function findSecretTarget({
  resource: { noun, shownSecret },
  verb,
  values,
}: VerbRun): string | undefined {
  if (shownSecret === undefined) return undefined;
  const target = values[`${shownSecret}-to`];
  if (makesSecret.has(verb) && target === undefined && values[`show-${shownSecret}`] !== true)
    throw new CommandError(
      `say where the new ${noun} goes: --${shownSecret}-to FILE writes it to a new file, --show-${shownSecret} prints it`,
    );
  if (typeof target !== "string") return undefined;
  // Made before the call, so that a key is not lost in a folder that cannot be written.
  writeSecret(target, "", "wx");
  return target;
}

export function keepSecret(target: string, secret: unknown): void {
  if (typeof secret === "string" && !isMaskedKey(secret)) {
    writeSecret(target, `${secret}\n`, "w");
    return;
  }
  rmSync(target);
  throw new CommandError(`done, but the reply shows no key: ${visible(target)} is not written`);
}

/** Its owner alone may read it. */
const secretFileMode = 0o600;

function writeSecret(path: string, text: string, flag: "w" | "wx"): void {
  try {
    writeFileSync(path, text, { flag, mode: secretFileMode });
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function stripSecret(
  row: Readonly<Record<string, unknown>>,
  { shownSecret }: ManagedResource,
  values: GivenOptions,
): Record<string, unknown> {
  const secret = shownSecret === undefined ? undefined : row[shownSecret];
  if (
    shownSecret === undefined ||
    typeof secret !== "string" ||
    values[`show-${shownSecret}`] === true
  )
    return { ...row };
  return { ...row, [shownSecret]: isMaskedKey(secret) ? secret : maskKey(secret) };
}
