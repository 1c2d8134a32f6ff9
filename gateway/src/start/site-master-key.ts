/**
 * The master key that a program runs with: the given one, that of the data folder, or a new one for
 * a new site.
 */

import type { Config, Settings } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import {
  composeMasterKeyPath,
  makeMasterKeyFile,
  readMasterKeyFile,
} from "../secrets/master-key-file.ts";
import { readSealingKeyId } from "../secrets/seal.ts";
import {
  type DatabaseState,
  readDatabasePlace,
  readDatabaseState,
} from "../storage/database-state.ts";

const keyBytes = 32;

/** Undefined where there is none. Throws `ConfigError` for a file that holds something else. */
export function findKnownMasterKey({ dataDir, masterKeyGiven }: Settings): Uint8Array | undefined {
  const key = masterKeyGiven ?? readMasterKeyFile(dataDir);
  if (key !== undefined && key.byteLength !== keyBytes)
    throw new ConfigError(
      `${composeMasterKeyPath(dataDir)} does not hold a master key; restore it or set MASTER_KEY`,
    );
  return key;
}

/**
 * A key is made only where no database is: beside one, it would open nothing of what is sealed
 * there.
 */
export async function addMasterKey(settings: Settings): Promise<Config> {
  const masterKey = findKnownMasterKey(settings) ?? (await makeMasterKey(settings));
  return { ...settings, masterKey };
}

async function makeMasterKey(settings: Settings): Promise<Uint8Array> {
  const { dataDir } = settings;
  const state = await readDatabaseState(settings);
  if (state.schema !== undefined) throw new ConfigError(findMissingKeyText(settings, state));
  try {
    return makeMasterKeyFile(dataDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `DATA_DIR ${dataDir} cannot be written (${code}); set it to a folder that can`,
    );
  }
}

/** The missing key is the one that the database names, or those that sealed its values. */
export function findMissingKeyText(
  settings: Settings,
  { keyId, sealedKeys }: Pick<DatabaseState, "keyId" | "sealedKeys">,
): string {
  const ids = keyId ?? [...new Set(sealedKeys.map(readSealingKeyId))].join(" or ");
  const belongs =
    ids === "" ? "the key that belongs to it" : `key ${ids}, with which it was sealed,`;
  return `there is no master.key in ${settings.dataDir}, and ${readDatabasePlace(settings)} exists: put ${belongs} there, or set MASTER_KEY (docs/operations.md)`;
}
