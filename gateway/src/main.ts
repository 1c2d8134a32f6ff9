/** The program: reads the configuration, opens storage, listens and stops cleanly, or runs one of the other commands. */
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { pino } from "pino";
import { openApp } from "./app.ts";
import { type Config, ConfigError, readConfig, readGatewayAddress } from "./config.ts";
import { costReportStore } from "./cost-reports/cost-report-store.ts";
import { costReportLines, isOff } from "./cost-reports/cost-report-text.ts";
import { storedComparison } from "./cost-reports/stored-comparison.ts";
import { ensureRoot, resetRootPassword } from "./identity/users/root-account.ts";
import { foldStoredUsernames, oddUsernames } from "./identity/users/stored-usernames.ts";
import { userStore } from "./identity/users/user-store.ts";
import { auditAllSteps } from "./money/audit-in-steps.ts";
import {
  auditUsage,
  readUsageAuditRange,
  type UsageAuditRange,
  usageAuditArguments,
  usageAuditLines,
} from "./money/usage-audit.ts";
import { listeningMessage, readProcessCount, runProcessGroup } from "./process-group.ts";
import { isDatabaseKey } from "./secrets/master-key.ts";
import { UndecryptableValue } from "./secrets/reencrypt.ts";
import { isRotationUnfinished, RotationError, rotateKey } from "./secrets/rotate-key.ts";
import { createSealer } from "./secrets/seal.ts";
import { checkTrail } from "./storage/audit-chain.ts";
import { BackupError, backupSqlite, postgresDumpCommand } from "./storage/backup.ts";
import { type Database, StorageUnavailable } from "./storage/database.ts";
import { noteBackup } from "./storage/last-backup.ts";
import { SchemaError } from "./storage/migrate.ts";
import { openDatabase, type StorageConfig, sqliteFile } from "./storage/open-database.ts";
import { nodesMax } from "./storage/time-ids.ts";

const siteFolder = fileURLToPath(new URL("../../console/dist", import.meta.url));

/**
 * Rows live for a moment. Unasked, V8 lets the heap grow to four times what is in use before it looks for garbage, and the young
 * generation of each thread besides. The heap of this thread exists already: its young generation is kept from growing, and those of
 * the threads of the database are bounded. With 50,000 users, as many keys and 300,000 rows of the log, the bundle needs 221 MB at most;
 * with young generations of 8 MB and 12 MB of pages of the database (sqlite-connection.ts) it needs 243 MB, and the same time.
 */
const importMemory = ["--heap-growing-percent=40", "--semi-space-growth-factor=1", "--max-semi-space-size=4"];

const anotherMasterKey =
  "the provider keys in this database were sealed with another master key; put its master.key into DATA_DIR or set MASTER_KEY (docs/operations.md)";
const rotationUnfinished =
  "a change of the master key did not finish; run rotate-key again with the same keys (docs/operations.md)";

const dayMs = 86_400_000;

const commands: Record<string, (config: Config, args: readonly string[]) => Promise<void>> = {
  serve,
  audit: auditCommand,
  backup: backupCommand,
  doctor: examine,
  import: importFromElsewhere,
  migrate: migrateCommand,
  "rotate-key": rotateKeyCommand,
  "root-password": rootPasswordCommand,
  usernames: usernamesCommand,
};

/** These manage a running gateway over its API: they open no database and read no other settings. */
const remoteCommands = ["export", "plan", "apply", "users", "keys", "channels", "mcp"] as const;

const name = process.argv[2] ?? "serve";
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
const remote = remoteCommands.find((one) => one === name);
if (!command && !remote)
  fail(`unknown command ${name}; there are ${[...Object.keys(commands), ...remoteCommands].join(", ")}`);
else {
  try {
    if (remote) await manage(remote);
    else await command?.(readConfig(process.env), process.argv.slice(3));
  } catch (error) {
    const isExplained = [
      ConfigError,
      SchemaError,
      StorageUnavailable,
      BackupError,
      RotationError,
      UndecryptableValue,
    ].some((kind) => error instanceof kind);
    fail(isExplained ? (error as Error).message : ((error as Error).stack ?? String(error)));
  }
}

async function serve(config: Config, args: readonly string[]): Promise<void> {
  const [flag, number, processCount] = args;
  if (flag === "--process")
    return await serveProcess(config, { number: Number(number), processCount: Number(processCount) });
  const count = readProcessCount(args);
  if (count === undefined) throw new ConfigError(`serve takes --processes with a number from 1 to ${nodesMax}`);
  if (count === 1) return await serveProcess(config);
  if (!config.databaseUrl)
    throw new ConfigError("several processes need PostgreSQL: set DATABASE_URL, or leave out --processes");
  if (config.port === 0) throw new ConfigError("several processes need a PORT: each would take another free one");
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const { metricsPort, metricsToken } = config;
  if (metricsPort !== undefined && config.port > metricsPort && config.port < metricsPort + count)
    throw new ConfigError(
      `METRICS_PORT and the ${count - 1} ports after it belong to the processes: PORT must be another`,
    );
  if (metricsToken !== undefined)
    log.warn({
      event: "metrics_per_process",
      note: "METRICS_TOKEN is not read: set METRICS_PORT to scrape each process",
    });
  if (!config.redisUrl)
    log.info({ event: "limits_per_process", note: "without REDIS_URL each process counts limits alone" });
  process.exit(await runProcessGroup({ count, log }));
}

/** `number` is that of this process where several share the port. */
async function serveProcess(
  config: Config,
  { number, processCount = 1 }: { number?: number; processCount?: number } = {},
): Promise<void> {
  // `npm start` holds a channel to this process, which closes however that parent ends, also by kill -9.
  const parentEnd = process.channel && once(process, "disconnect");
  // Written in the background, several lines at a time: a slow terminal or pipe must not slow down calls.
  const lines = pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 100 });
  const base = number === undefined ? null : { process: number };
  const log = pino({ level: config.logLevel, base, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  process.on("exit", () => lines.flushSync());
  for (const note of config.aliasesUsed) log.info({ event: "mapped", note });
  for (const note of config.foreignNotes) log.warn({ event: "not_read", note });
  if (config.trustedHeader)
    log.info({ event: "proxy_sign_in_on", header: config.trustedHeader.nameHeader }, "reverse proxies sign users in");
  const db = await open(config, (error) => {
    // Calls cannot be charged without storage; a supervisor restarts the process.
    log.fatal({ event: "storage_lost", err: error }, "storage is gone");
    process.exit(1);
  });
  if (await isRotationUnfinished(db)) throw new ConfigError(rotationUnfinished);
  if (!(await isDatabaseKey(db, createSealer(config.masterKey)))) throw new ConfigError(anotherMasterKey);
  const app = await openApp(config, db, log, siteFolder, { processCount });

  let stops = 0;
  const stop = async (): Promise<void> => {
    stops += 1;
    log.info({ event: "stopping", forced: stops > 1 });
    const finished = await app.stop(stops > 1 ? 0 : config.shutdownGraceMs);
    log.info({ event: "stopped", finished });
    process.exit(finished ? 0 : 2);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  // A gateway that stops already keeps its grace.
  void parentEnd?.then(() => (stops === 0 ? stop() : undefined));
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error) => {
      // The state of the process is unknown: finish the running calls, then let the supervisor restart it.
      log.fatal({ event, err: error }, "stopping after an uncaught error");
      void app.stop(config.shutdownGraceMs).finally(() => process.exit(1));
    });
  }

  await new Promise<void>((resolve, reject) => {
    app.server.once("error", (error: NodeJS.ErrnoException) => reject(unlistenable(error, config)));
    app.server.listen({ port: config.port, host: config.host, reusePort: number !== undefined }, resolve);
  });
  if (app.metricsServer && config.metricsPort !== undefined) {
    const { metricsServer } = app;
    const port = config.metricsPort + (number ?? 0);
    await new Promise<void>((resolve, reject) => {
      metricsServer.once("error", (error: NodeJS.ErrnoException) =>
        reject(new ConfigError(`METRICS_PORT ${port} on ${config.metricsHost}: ${error.code}`)),
      );
      metricsServer.listen({ port, host: config.metricsHost }, resolve);
    });
    log.info({ event: "metrics", host: config.metricsHost, port });
  }
  // After listening: a password that was generated but not printed, because the port was taken, would be lost.
  const created = await ensureRoot(db, userStore(db), { initialPassword: config.initialRootPassword, now: Date.now() });
  const bound = app.server.address();
  const port = typeof bound === "object" && bound ? bound.port : config.port;
  const shown = config.host.includes(":") ? `[${config.host}]` : config.host;
  log.info({ event: "listening", url: `http://${shown}:${port}`, storage: db.dialect });
  const address = config.publicUrl?.href ?? `http://${shown === "127.0.0.1" ? "localhost" : shown}:${port}`;
  if (created) process.stdout.write(banner(address, created));
  else if (process.stdout.isTTY && !number) process.stdout.write(`\n  Tollgate is running at ${address}\n\n`);
  if (number !== undefined) process.send?.(listeningMessage);
}

function unlistenable(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === "EADDRINUSE")
    return new ConfigError(`PORT ${port} is in use; stop the program that listens there or set PORT`);
  if (error.code === "EADDRNOTAVAIL") return new ConfigError(`HOST ${host} is not an address of this machine`);
  if (error.code === "ENOTSUP") return new ConfigError("this system cannot share a port: leave out --processes");
  if (error.code === "EACCES") return new ConfigError(`PORT ${port} requires root; set a PORT above 1023`);
  return error;
}

function banner(address: string, { username, password }: { username: string; password: string }): string {
  const lines = [
    "Tollgate is running",
    "",
    `Address:       ${address}`,
    `Sign in at:    ${new URL("/login", address).href}`,
    `User name:     ${username}`,
    `Root password: ${password}`,
    "",
    "This password is shown once and must be changed at the first sign-in.",
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const row = (line: string): string => `  │ ${line.padEnd(width)} │`;
  const rule = "─".repeat(width + 2);
  return `\n  ┌${rule}┐\n${lines.map(row).join("\n")}\n  └${rule}┘\n\n`;
}

async function auditCommand(config: Config, args: readonly string[]): Promise<void> {
  const [argument, ...more] = args;
  if (argument === "--usage") {
    const range = readUsageAuditRange(more, Date.now());
    if (!range) throw new ConfigError(usageAuditArguments);
    return withDatabase(config, (db) => reportUsage(db, range));
  }
  if (more.length > 0) throw new ConfigError("audit takes at most one argument, except with --usage");
  const trail = argument === undefined ? undefined : /^--trail(?:=(\d{1,15}):([0-9a-f]{64}))?$/.exec(argument);
  if (trail === null) throw new ConfigError("audit takes no argument, --trail, --trail=<entry>:<hash> or --usage");
  await withDatabase(config, trail ? (db) => reportTrail(db, trail[1], trail[2]) : reportBooks);
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
  for (const line of usageAuditLines(audit)) console.log(line);
  const costs = await reportedCosts(db, range);
  for (const line of costReportLines(costs, range.thresholdPercent)) console.log(line);
  if (audit.mismatchCount > 0 || costs.some((one) => isOff(one, range.thresholdPercent))) process.exitCode = 1;
}

/** Of the days that the gateway has read: no provider is asked now. */
async function reportedCosts(db: Database, { from, to, channelId }: UsageAuditRange) {
  const store = costReportStore(db);
  const reports = (await store.all()).filter(({ channel_id }) => channelId === undefined || channel_id === channelId);
  const days = { first: Math.floor(from / dayMs), last: Math.ceil(to / dayMs) - 1 };
  return Promise.all(
    reports.map(async (report) => ({ report, comparison: await storedComparison(store, report, days) })),
  );
}

async function reportTrail(db: Database, id: string | undefined, hash = ""): Promise<void> {
  const { entries, head, fault } = await checkTrail(db, id === undefined ? undefined : { id: Number(id), hash });
  const upTo = head ? `, the last is ${head.id}:${head.hash}` : "";
  if (fault) console.log(`The record of changes is broken: ${fault}.`);
  console.log(`${entries} entries ${fault ? "before it " : ""}are chained${upTo}`);
  if (fault) process.exitCode = 1;
}

async function backupCommand({ dataDir, databaseUrl }: Config, [target]: readonly string[]): Promise<void> {
  if (!target) throw new BackupError("name the file to write: backup <file>");
  if (databaseUrl) {
    throw new BackupError(
      `PostgreSQL has its own backup command, which works while the gateway runs:\n\n  ${postgresDumpCommand(databaseUrl, target)}\n\nHow to restore one is in docs/operations.md.`,
    );
  }
  const bytes = backupSqlite(sqliteFile(dataDir), target);
  if (!noteBackup(dataDir, target))
    console.error("DATA_DIR cannot be written, so the gateway does not learn of this backup.");
  console.log(`${target} holds the database, ${bytes} bytes. It does not contain the master key: keep that elsewhere.`);
}

async function importFromElsewhere(config: Config, args: readonly string[]): Promise<void> {
  for (const flag of importMemory) setFlagsFromString(flag);
  // Nothing of it is loaded by a running gateway.
  const { importCommand } = await import("./open-import.ts");
  const { masterKey, initialRootPassword, importSource, importLogSource } = config;
  process.exitCode = await importCommand({
    args,
    defaultSource: importSource,
    defaultLogSource: importLogSource,
    masterKey,
    initialRootPassword,
    environment: process.env,
    withDatabase: (work) => withDatabase({ ...config, hasLittleMemory: true }, work),
    print: (line) => console.log(line),
  });
}

async function manage(command: (typeof remoteCommands)[number]): Promise<void> {
  const { runRemoteCommand } = await import("./open-command-line.ts");
  process.exitCode = await runRemoteCommand({
    name: command,
    args: process.argv.slice(3),
    gateway: readGatewayAddress(process.env),
    environment: process.env,
    input: process.stdin,
    print: (text) => console.log(text),
    warn: (text) => console.error(text),
  });
}

async function migrateCommand(config: Config): Promise<void> {
  await withDatabase(config, async (db) => console.log(`The ${db.dialect} database has the current schema.`));
}

async function examine(config: Config): Promise<void> {
  const { doctorCommand } = await import("./open-doctor.ts");
  process.exitCode = await doctorCommand({ config, environment: process.env, print: (line) => console.log(line) });
}

async function rotateKeyCommand(config: Config): Promise<void> {
  const { dataDir, masterKey: current, isMasterKeyFromEnvironment: isCurrentGiven, newMasterKey: next } = config;
  await withDatabase(config, async (db) => {
    const done = await rotateKey(db, { dataDir, current, isCurrentFromEnvironment: isCurrentGiven, next }, Date.now());
    console.log(
      `${done.sealed} values are sealed with the new master key (${done.to}) and open with it; none is sealed with the previous key (${done.from}).`,
    );
    if (done.unreadable > 0) console.log(`${done.unreadable} were sealed with other keys and stay unreadable.`);
    console.log(
      done.isInFile
        ? `The new key is in ${join(dataDir, "master.key")}. Older copies of the database need the previous key.`
        : "Set MASTER_KEY to the value of NEW_MASTER_KEY. Older copies of the database need the previous key.",
    );
    if (done.isInFile && isCurrentGiven) console.log("Remove MASTER_KEY from the environment, or set it to that key.");
  });
}

async function rootPasswordCommand(config: Config): Promise<void> {
  await withDatabase(config, async (db) => {
    console.log(`Root password: ${await resetRootPassword(db, userStore(db), Date.now())}`);
    console.log("It must be changed at the next sign-in. Root's sessions have ended and its second factor is off.");
  });
}

async function usernamesCommand(config: Config): Promise<void> {
  await withDatabase(config, async (db) => {
    await foldStoredUsernames(db);
    const odd = await oddUsernames(db);
    for (const { id, username, sameAs } of odd) {
      const reason = sameAs ? `looks like ${visibleText(sameAs.username)} of user ${sameAs.id}` : "breaks the rules";
      console.log(`user ${id}: ${visibleText(username)} ${reason}`);
    }
    console.log(odd.length === 0 ? "All usernames keep the rules." : `${odd.length} usernames should be changed.`);
    if (odd.length > 0) process.exitCode = 1;
  });
}

/** Quoted, with invisible characters by their numbers. */
const visibleText = (text: string): string =>
  JSON.stringify(text).replace(/[\p{Cf}\p{DI}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);

async function withDatabase(config: StorageConfig, work: (db: Database) => Promise<void>): Promise<void> {
  const db = await open({ ...config, databaseReadUrl: undefined }, (error) => fail(error.message));
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

async function open(config: StorageConfig, onFatal: (error: Error) => void): Promise<Database> {
  const onError = (error: Error): void => console.error(`storage: ${error.message}`);
  return await openDatabase(config, { onError, onFatal });
}

function fail(message: string): void {
  process.stderr.write(`tollgate: ${message}\n`);
  process.exit(1);
}
