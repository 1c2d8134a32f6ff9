/**
 * The command `import`: opens the other system's database, composes the run and prints its report.
 * Loaded by that command alone.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { ensureRoot } from "../accounts/identity/users/root-account.ts";
import { visible } from "../commands/command-line/visible-text.ts";
import {
  type AnsweredPrices,
  findAnsweredPrices,
} from "../commands/import/family/answered-prices.ts";
import type { ImportArguments } from "../commands/import/import-arguments.ts";
import { importEntities, type Loss } from "../commands/import/import-items.ts";
import { createImportReport, type ImportReport } from "../commands/import/import-report.ts";
import type { ImportRun } from "../commands/import/import-run.ts";
import { importStore } from "../commands/import/import-store.ts";
import { parseBoundedYaml, yamlBytesMax } from "../commands/import/litellm/bounded-yaml.ts";
import {
  type LitellmConfiguration,
  listIncludedFiles,
  mergeConfigurations,
  readLitellmConfig,
} from "../commands/import/litellm/litellm-config-file.ts";
import { formatLossText, isGrave, isListedWhole } from "../commands/import/loss-text.ts";
import { openSystem, type SystemSettings } from "../commands/import/open-system.ts";
import { runImport } from "../commands/import/run-import.ts";
import { noTables } from "../commands/import/sources/no-tables.ts";
import { openSource } from "../commands/import/sources/open-source.ts";
import { addSeparateLog } from "../commands/import/sources/separate-log.ts";
import { ImportRefused, type SourceTables } from "../commands/import/sources/source-tables.ts";
import { undoDeletions } from "../commands/import/undo-deletions.ts";
import { verifyImport } from "../commands/import/verify-import.ts";
import type { ImportPrivateHosts } from "../commands/import/writers/refused-addresses.ts";
import { auditAllSteps } from "../money/audit/audit-in-steps.ts";
import { findKeyProblem } from "../secrets/master-key.ts";
import { createSealer } from "../secrets/seal.ts";
import type { Database } from "../storage/database.ts";
import { composeImportRun } from "./open-import-run.ts";

/** Exit codes: everything was carried, something was not, nothing was. */
const exitCodes = { done: 0, losses: 2, refused: 1 } as const;
/** The command itself, in the record of changes. */
const actor = { id: 0, address: "" };
/** `linesPerReason` comes without `--all`. */
const linesPerReason = 10;

export interface ImportCommand {
  args: ImportArguments;
  /**
   * IMPORT_LOG_SOURCE: an address may hold a password, and arguments can be read by every user of
   * the machine.
   */
  defaultLogSource?: string | undefined;
  /** `privateHosts` says which private hosts this gateway may call. */
  privateHosts: ImportPrivateHosts;
  initialRootPassword: string | undefined;
  /**
   * `environment` is what the source reads from its environment, such as LiteLLM's provider keys.
   */
  environment: Readonly<Record<string, string | undefined>>;
  /** Opened only when the arguments and the source are in order. */
  withDatabase(work: (db: Database, masterKey: Uint8Array) => Promise<void>): Promise<void>;
  print(line: string): void;
}

/** Returns the exit code. */
export async function importCommand(command: ImportCommand): Promise<number> {
  const { args, print } = command;
  if (args.isUndo) return await undo(command);
  let exitCode: number = exitCodes.done;
  try {
    const now = Date.now();
    const tables = await openTables(args, command.defaultLogSource);
    try {
      const source = await openSystem(tables, { ...buildSettings(args, command), now });
      print(`Source: ${source.system}, ${visible(source.label)}`);
      await command.withDatabase(async (db, masterKey) => {
        const seal = createSealer(masterKey);
        const { isPlan, logsSinceMs, name, keepRoot, followedDeletions, isCutOver } = args;
        const { privateHosts } = command;
        const report = createImportReport();
        const settings = { isPlan, logsSinceMs, name, keepRoot, followedDeletions, isCutOver };
        const run = composeImportRun(db, {
          ...settings,
          privateHosts,
          seal,
          source,
          report,
          actor,
          now,
        });
        const problem = await findKeyProblem(db, seal);
        if (problem !== undefined) throw new ImportRefused(problem);
        exitCode = args.isVerify
          ? await printComparison(run, print)
          : await carry(run, args, command);
      });
    } finally {
      await tables.close();
    }
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    print(`Refused: ${error.message}.`);
    return exitCodes.refused;
  }
  return exitCode;
}

async function undo({ args, withDatabase, print }: ImportCommand): Promise<number> {
  await withDatabase(async (db) => {
    const run = {
      db,
      imported: importStore(db, args.name),
      sourceName: args.name,
      actor,
      now: Date.now(),
    };
    const { enabled, left } = await undoDeletions(run);
    for (const { kind, sourceId, name } of left)
      print(
        `! ${kind} ${visible(sourceId)} "${visible(name)}" changed here since it was disabled, and stays as it is`,
      );
    for (const { kind, sourceId, name } of enabled)
      print(`${kind} ${visible(sourceId)} "${visible(name)}" is enabled again`);
    print(`${enabled.length} enabled, ${left.length} left.`);
  });
  return exitCodes.done;
}

async function openTables(
  { source, hasDatabase, logSource }: ImportArguments,
  defaultLogSource: string | undefined,
): Promise<SourceTables> {
  if (!hasDatabase) return noTables(source);
  const main = await openSource(source);
  const log = logSource ?? defaultLogSource;
  return log === undefined ? main : await addSeparateLog(main, log);
}

/** The options of LiteLLM are files here. */
const buildSettings = (
  { unlimitedAs, envFile, configFile, hasDatabase, pricesFile }: ImportArguments,
  { environment }: ImportCommand,
): Omit<SystemSettings, "now"> => ({
  unlimitedAs,
  hasDatabase,
  config: configFile === undefined ? undefined : readConfigFiles(configFile),
  answeredPrices: pricesFile === undefined ? undefined : readAnsweredPrices(pricesFile),
  environment: { ...environment, ...(envFile !== undefined && readEnvFile(envFile)) },
});

/** LiteLLM reads the files that `include` names, and no further ones. */
const includesMax = 100;

function readConfigFiles(path: string): LitellmConfiguration {
  const document = parseBoundedYaml(readBounded(path), visible(path));
  const first = readLitellmConfig(document);
  const included = listIncludedFiles(document);
  if (included.length > includesMax)
    throw new ImportRefused(`${path} includes more than ${includesMax} files`);
  const configurations = included.flatMap((file) => {
    const included = resolve(dirname(path), file);
    return readLitellmConfig(parseBoundedYaml(readBounded(included), visible(included))) ?? [];
  });
  if (!first && configurations.length === 0)
    throw new ImportRefused(`${path} is no configuration of LiteLLM`);
  return [...(first ? [first] : []), ...configurations].reduce(mergeConfigurations);
}

function readAnsweredPrices(path: string): AnsweredPrices {
  const prices = findAnsweredPrices(parseJson(readBounded(path)));
  if (prices) return prices;
  throw new ImportRefused(
    `${visible(path)} is no answer with prices: save that of GET /api/option/ (one-api, as root) or GET /api/pricing (new-api)`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readBounded(path: string): string {
  try {
    if (statSync(path).size > yamlBytesMax)
      throw new ImportRefused(`${path} is larger than ${yamlBytesMax >> 20} MiB`);
  } catch (error) {
    throw buildUnreadableFile(path, error);
  }
  return readText(path);
}

const readEnvFile = (path: string): Readonly<Record<string, string | undefined>> =>
  parseEnv(readText(path));

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw buildUnreadableFile(path, error);
  }
}

const buildUnreadableFile = (path: string, error: unknown): Error =>
  error instanceof ImportRefused
    ? error
    : new ImportRefused(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);

async function carry(
  run: ImportRun,
  args: ImportArguments,
  { print, initialRootPassword }: ImportCommand,
): Promise<number> {
  const { db, report, isPlan, now } = run;
  await requireKeptRoots(run);
  // Root first: an imported account named root would otherwise take the name that the first start
  // gives it.
  const needsRoot = !isPlan && args.keepRoot.size === 0;
  const created = needsRoot
    ? await ensureRoot(db, run.users, { initialPassword: initialRootPassword, now })
    : undefined;
  if (created)
    print(
      `Root account: ${created.username}, password ${created.password} (shown once; change it at the first sign-in)`,
    );
  await runImport(run);
  printReport(report, args, print);
  if (isPlan) print("Nothing was written: this is the plan.");
  const findings = isPlan ? [] : await auditAllSteps(db, Date.now);
  for (const { check, detail } of findings) print(`${check}: ${detail}`);
  if (!isPlan)
    print(
      findings.length === 0 ? "The books agree." : `${findings.length} disagreements in the books.`,
    );
  if (findings.length > 0) return exitCodes.refused;
  return report.lossCount === 0 ? exitCodes.done : exitCodes.losses;
}

/** A misspelt name would leave the gateway without a root account. */
async function requireKeptRoots({ source, keepRoot }: ImportRun): Promise<void> {
  if (keepRoot.size === 0) return;
  const missing = new Set(keepRoot);
  for await (const page of source.users())
    for (const { item } of page)
      if (item?.role === roles.root && item.isEnabled) missing.delete(item.username);
  if (missing.size === 0) return;
  const names = [...missing].map((name) => `"${visible(name)}"`).join(", ");
  throw new ImportRefused(
    `--keep-root names no enabled account of role 100: ${names}; nothing was written`,
  );
}

function printReport(
  report: ImportReport,
  { printsAll }: ImportArguments,
  print: (line: string) => void,
): void {
  for (const entity of importEntities) {
    const { added, changed, unchanged, left } = report.counts[entity];
    if (added + changed + unchanged + left > 0)
      print(
        `${entity}: ${added} carried, ${changed} updated, ${unchanged} unchanged, ${left} left`,
      );
  }
  const byReason = Map.groupBy(report.losses, ({ reason }) => reason);
  const sorted = [...byReason.values()].sort(
    (a, b) => Number(isGraveGroup(b)) - Number(isGraveGroup(a)),
  );
  for (const losses of sorted) {
    const shown =
      printsAll || losses.some(isListedWhole) ? losses : losses.slice(0, linesPerReason);
    for (const loss of shown) print(`${isGrave(loss) ? "! " : "- "}${formatLossText(loss)}`);
    if (shown.length < losses.length)
      print(`  … and ${losses.length - shown.length} more of this kind (--all)`);
  }
  if (report.lossCount > report.losses.length)
    print(`${report.lossCount - report.losses.length} further lines were left out.`);
}

const isGraveGroup = ([first]: readonly Loss[]): boolean => first !== undefined && isGrave(first);

async function printComparison(run: ImportRun, print: (line: string) => void): Promise<number> {
  const { compared, left, differences } = await verifyImport(run);
  for (const { entity, sourceId, name, what, theirs, ours } of differences) {
    const subject = `${entity} ${visible(sourceId)} "${visible(name)}"`;
    print(
      what === "deleted"
        ? `${subject} is deleted there and enabled here`
        : what === "missing"
          ? `${subject} is ${ours} here${theirs === "there" ? "" : ` (${theirs})`}`
          : `${subject}: ${what} is ${theirs} there and ${ours} here`,
    );
  }
  if (Object.keys(left).length > 0)
    print(`Not carried, each with a line in the report of the import: ${counted(left)}.`);
  print(`Compared: ${counted(compared) || "nothing"}. ${differences.length} differences.`);
  return differences.length === 0 ? exitCodes.done : exitCodes.losses;
}

const counted = (rows: Readonly<Record<string, number>>): string =>
  Object.entries(rows)
    .map(([entity, count]) => `${count} of ${entity}`)
    .join(", ");
