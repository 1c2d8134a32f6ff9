/**
 * Commands that work on the database of a gateway, whether or not one runs: audit, backup,
 * migrations, keys, names.
 */
import { join } from "node:path";
import { resetRootPassword } from "../accounts/identity/users/root-account.ts";
import {
  foldStoredUsernames,
  listOddUsernames,
} from "../accounts/identity/users/stored-usernames.ts";
import { createUserStore } from "../accounts/identity/users/user-store.ts";
import {
  exitCodes,
  findText,
  type GivenOptions,
  UsageError,
} from "../commands/command-line/command-row.ts";
import type { Consent } from "../commands/command-line/consent.ts";
import type { Settings } from "../config/config.ts";
import { createCostReportStore } from "../figures/cost-reports/cost-report-store.ts";
import { formatCostReportLines, isOff } from "../figures/cost-reports/cost-report-text.ts";
import { readStoredComparison } from "../figures/cost-reports/stored-comparison.ts";
import { auditAllSteps } from "../money/audit/audit-in-steps.ts";
import { auditUsage, formatUsageAuditLines } from "../money/audit/usage-audit.ts";
import {
  readUsageAuditRange,
  type UsageAuditRange,
  usageAuditOptions,
} from "../money/audit/usage-audit-range.ts";
import { rotateKey } from "../secrets/rotate-key.ts";
import { checkTrail } from "../storage/audit-chain.ts";
import { BackupError, backupSqlite, readPostgresDumpCommand } from "../storage/backup.ts";
import type { Database } from "../storage/database.ts";
import {
  hasDatabase,
  readDatabasePlace,
  readDatabaseState,
  requireDatabase,
} from "../storage/database-state.ts";
import { noteBackup } from "../storage/last-backup.ts";
import {
  type DatabaseEvents,
  openDatabase,
  readSqliteFile,
  type StorageConfig,
} from "../storage/open-database.ts";
import { openReadOnlySqlite } from "../storage/read-only-sqlite.ts";
import { addMasterKey } from "./site-master-key.ts";

const dayMs = 86_400_000;

export type AuditRequest =
  | { kind: "books" }
  | { kind: "usage"; range: UsageAuditRange }
  | { kind: "trail"; noted: { id: number; hash: string } | undefined };

/** Throws `UsageError` for an option with another value. */
export function readAuditRequest(options: GivenOptions, now: number): AuditRequest {
  const text = (name: string): string | undefined => findText(options, name);
  if (options.usage === true) {
    const texts = {
      from: text("from"),
      to: text("to"),
      channel: text("channel"),
      threshold: text("threshold"),
    };
    const range = readUsageAuditRange(texts, now);
    if (!range) throw new UsageError(usageAuditOptions);
    return { kind: "usage", range };
  }
  if (options.trail === undefined) return { kind: "books" };
  const noted = text("trail");
  if (noted === undefined) return { kind: "trail", noted };
  const [, id, hash = ""] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(noted) ?? [];
  if (id === undefined)
    throw new UsageError("--trail takes an entry as it was printed, such as 1234:5f8e…");
  return { kind: "trail", noted: { id: Number(id), hash } };
}

export async function auditCommand(settings: Settings, request: AuditRequest): Promise<void> {
  await runWithDatabase(settings, async (db) => {
    if (request.kind === "usage") await reportUsage(db, request.range);
    else if (request.kind === "trail") await reportTrail(db, request.noted);
    else await reportBooks(db);
  });
}

async function reportBooks(db: Database): Promise<void> {
  const { fault } = await checkTrail(db);
  const chain = fault ? [{ check: "the record of changes is chained", detail: fault }] : [];
  const findings = [...(await auditAllSteps(db, Date.now)), ...chain];
  for (const { check, detail } of findings) console.log(`${check}: ${detail}`);
  console.log(findings.length === 0 ? "The books agree." : `${findings.length} disagreements.`);
  if (findings.length > 0) process.exitCode = 1;
}

async function reportUsage(db: Database, range: UsageAuditRange): Promise<void> {
  const audit = await auditUsage(db, range);
  for (const line of formatUsageAuditLines(audit)) console.log(line);
  const costs = await readReportedCosts(db, range);
  for (const line of formatCostReportLines(costs, range.thresholdPercent)) console.log(line);
  if (audit.mismatchCount > 0 || costs.some((one) => isOff(one, range.thresholdPercent)))
    process.exitCode = 1;
}

/** `readReportedCosts` is about the days that the gateway has read: no provider is asked now. */
async function readReportedCosts(db: Database, { from, to, channelId }: UsageAuditRange) {
  const store = createCostReportStore(db);
  const reports = (await store.all()).filter(
    ({ channel_id }) => channelId === undefined || channel_id === channelId,
  );
  const days = { first: Math.floor(from / dayMs), last: Math.ceil(to / dayMs) - 1 };
  return Promise.all(
    reports.map(async (report) => ({
      report,
      comparison: await readStoredComparison(store, report, days),
    })),
  );
}

async function reportTrail(
  db: Database,
  noted: { id: number; hash: string } | undefined,
): Promise<void> {
  const { entries, head, fault } = await checkTrail(db, noted);
  const upTo = head ? `, the last is ${head.id}:${head.hash}` : "";
  if (fault) console.log(`The record of changes is broken: ${fault}.`);
  console.log(`${entries} entries ${fault ? "before it " : ""}are chained${upTo}`);
  if (fault) process.exitCode = 1;
}

export async function backupCommand(settings: Settings, target: string): Promise<void> {
  const { dataDir, databaseUrl } = settings;
  nameDatabase(settings);
  if (databaseUrl) {
    throw new BackupError(
      `PostgreSQL has its own backup command, which works while the gateway runs:\n\n  ${readPostgresDumpCommand(databaseUrl, target)}\n\nHow to restore one is in docs/operations.md.`,
    );
  }
  const bytes = backupSqlite(readSqliteFile(dataDir), target);
  if (!noteBackup(dataDir, target))
    console.error("DATA_DIR cannot be written, so the gateway does not learn of this backup.");
  console.log(
    `${target} holds the database, ${bytes} bytes. It does not contain the master key: keep that elsewhere.`,
  );
}

/** `migrateCommand` makes the master key of a new site with the database. */
export async function migrateCommand(settings: Settings): Promise<void> {
  nameDatabase(settings);
  if (!(await hasDatabase(settings))) await addMasterKey(settings);
  await runOnDatabase(settings, async (db) =>
    console.log(`The ${db.dialect} database has the current schema.`),
  );
}

/**
 * `Ask` says whether a deed may be done; prints why not, or that it will need a word in the next
 * version.
 */
type Ask = (question: string) => Promise<Consent>;

/** Until 0.2.0 a program without a terminal may leave --yes out. */
async function isWanted(question: string, ask: Ask): Promise<boolean> {
  const consent = await ask(question);
  if (consent === "unasked")
    console.error("tollgate: without a terminal this will need --yes from version 0.2.0 on");
  if (consent !== "refused") return true;
  console.error("tollgate: nothing was done");
  process.exitCode = exitCodes.refused;
  return false;
}

export async function rotateKeyCommand(settings: Settings, ask: Ask): Promise<void> {
  nameDatabase(settings);
  await requireDatabase(settings);
  const {
    dataDir,
    masterKey: current,
    masterKeyGiven,
    newMasterKey: next,
  } = await addMasterKey(settings);
  const isCurrentGiven = masterKeyGiven !== undefined;
  if (!(await isWanted(`Change the master key of ${readDatabasePlace(settings)}?`, ask))) return;
  await runOnDatabase(settings, async (db) => {
    const done = await rotateKey(
      db,
      { dataDir, current, isCurrentFromEnvironment: isCurrentGiven, next },
      Date.now(),
    );
    console.log(
      `${done.sealed} values are sealed with the new master key (${done.to}) and open with it; none is sealed with the previous key (${done.from}).`,
    );
    if (done.unreadable > 0)
      console.log(`${done.unreadable} were sealed with other keys and stay unreadable.`);
    console.log(
      done.isInFile
        ? `The new key is in ${join(dataDir, "master.key")}. Older copies of the database need the previous key.`
        : "Set MASTER_KEY to the value of NEW_MASTER_KEY. Older copies of the database need the previous key.",
    );
    if (done.isInFile && isCurrentGiven)
      console.log("Remove MASTER_KEY from the environment, or set it to that key.");
  });
}

export async function runRootPasswordCommand(settings: Settings, ask: Ask): Promise<void> {
  nameDatabase(settings);
  await requireDatabase(settings);
  const question = `Give root of ${readDatabasePlace(settings)} a new password, and end its sessions?`;
  if (!(await isWanted(question, ask))) return;
  await runOnDatabase(settings, async (db) => {
    console.log(`Root password: ${await resetRootPassword(db, createUserStore(db), Date.now())}`);
    console.log(
      "It must be changed at the next sign-in. Root's sessions have ended and its second factor is off.",
    );
  });
}

export async function runUsernamesCommand(settings: Settings): Promise<void> {
  await runWithDatabase(settings, async (db) => {
    await foldStoredUsernames(db);
    const odd = await listOddUsernames(db);
    for (const { id, username, sameAs } of odd) {
      const reason = sameAs
        ? `looks like ${listVisibleText(sameAs.username)} of user ${sameAs.id}`
        : "breaks the rules";
      console.log(`user ${id}: ${listVisibleText(username)} ${reason}`);
    }
    console.log(
      odd.length === 0
        ? "All usernames keep the rules."
        : `${odd.length} usernames should be changed.`,
    );
    if (odd.length > 0) process.exitCode = 1;
  });
}

/** Quoted, with invisible characters by their numbers. */
const listVisibleText = (text: string): string =>
  JSON.stringify(text).replace(
    /[\p{Cf}\p{DI}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );

/**
 * Names the database first: with the settings of another folder, a command would find everything in
 * order there.
 */
function nameDatabase(settings: Settings): void {
  console.log(`Database: ${readDatabasePlace(settings)}`);
}

/** Work on a database that is there. */
async function runWithDatabase(
  settings: Settings,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  nameDatabase(settings);
  await requireDatabase(settings);
  await runOnDatabase(settings, work);
}

/** Makes the database where there is none. */
export async function runOnDatabase(
  settings: StorageConfig,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const db = await open({ ...settings, databaseReadUrl: undefined }, (error) =>
    fail(error.message),
  );
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

/**
 * `isReadable` says whether there is a file of SQLite that needs no migration before it is read.
 */
export async function isReadable(settings: StorageConfig): Promise<boolean> {
  if (settings.databaseUrl) return false;
  const { schema, pending } = await readDatabaseState(settings);
  return schema !== undefined && pending.length === 0;
}

/** Work that writes nothing, while a gateway may run on the file. */
export async function runOnReadOnlyFile(
  { dataDir }: StorageConfig,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const db = openReadOnlySqlite(dataDir);
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

export async function open(
  config: StorageConfig,
  onFatal: (error: Error) => void,
  onClockJump?: DatabaseEvents["onClockJump"],
): Promise<Database> {
  const onError = (error: Error): void => console.error(`storage: ${error.message}`);
  return await openDatabase(config, { onError, onFatal, ...(onClockJump && { onClockJump }) });
}

export function fail(message: string, exitCode: number = exitCodes.refused): void {
  process.stderr.write(`tollgate: ${message}\n`);
  process.exit(exitCode);
}
