/**
 * The program: reads the configuration, opens storage, listens and stops cleanly, or runs one of
 * the other commands.
 */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { ensureRoot, RootMissing } from "../accounts/identity/users/root-account.ts";
import { createUserStore } from "../accounts/identity/users/user-store.ts";
import {
  type CommandInput,
  exitCodes,
  findText,
  type GivenOptions,
  UsageError,
} from "../commands/command-line/command-row.ts";
import type { AgentCommandName, LocalCommandName } from "../commands/command-line/command-table.ts";
import type { Consent } from "../commands/command-line/consent.ts";
import { readImportArguments } from "../commands/import/import-arguments.ts";
import { type Config, readGatewayAddress, readSettings, type Settings } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { type Environment, openEnvironment } from "../config/open-environment.ts";
import { holdRequests } from "../http/held-requests.ts";
import { openLog } from "../process/open-log.ts";
import { listeningMessage, readProcessCount, runProcessGroup } from "../process/process-group.ts";
import { collectStartGarbage } from "../process/start-garbage.ts";
import { claimDatabaseKey } from "../secrets/master-key.ts";
import { UndecryptableValue } from "../secrets/reencrypt.ts";
import { isRotationUnfinished, RotationError } from "../secrets/rotate-key.ts";
import { createSealer } from "../secrets/seal.ts";
import { BackupError } from "../storage/backup.ts";
import { StorageUnavailable } from "../storage/database.ts";
import { readDatabasePlace, requireDatabase } from "../storage/database-state.ts";
import { followClock } from "../storage/id-clock.ts";
import { SchemaError } from "../storage/migrate.ts";
import { runAlone } from "../storage/open-database.ts";
import { nodesMax } from "../storage/time-ids.ts";
import { openApp } from "./app.ts";
import {
  auditCommand,
  backupCommand,
  fail,
  isReadable,
  migrateCommand,
  open,
  readAuditRequest,
  rotateKeyCommand,
  runOnDatabase,
  runOnReadOnlyFile,
  runRootPasswordCommand,
  runUsernamesCommand,
} from "./database-commands.ts";
import { awaitReloads, composeReload } from "./reload-on-signal.ts";
import { addMasterKey } from "./site-master-key.ts";
import { requireStartClock, tellClockJump } from "./start-clock.ts";
import { buildUnlistenable, composeBanner } from "./start-messages.ts";

const siteFolder = fileURLToPath(new URL("../../../console/dist", import.meta.url));

/**
 * Rows live for a moment. Unasked, V8 lets the heap grow to four times what is in use before it
 * looks for garbage, and the young generation of each thread besides. The heap of this thread
 * exists already: its young generation is kept from growing, and those of the threads of the
 * database are bounded. With 50,000 users, as many keys and 300,000 rows of the log, the bundle
 * needs 221 MB at most; with young generations of 8 MB and 12 MB of pages of the database
 * (sqlite-connection.ts) it needs 243 MB, and the same time.
 */
const importMemory = [
  "--heap-growing-percent=40",
  "--semi-space-growth-factor=1",
  "--max-semi-space-size=4",
];

/**
 * Connections that the kernel keeps until this process takes them. Node asks for 511: of 4,000
 * clients that connect at once, a third then try again after a second or more. The kernel has a
 * limit of its own (`net.core.somaxconn`).
 */
const waitingConnectionsMax = 4_096;

const rotationUnfinished =
  "a change of the master key did not finish; run rotate-key again with the same keys (docs/operations.md)";

let environmentReader: (() => Environment) | undefined;

type Handler = (input: CommandInput) => Promise<void>;

/** `handlers` read the typed words before the environment, and that before anything is opened. */
const handlers: Record<LocalCommandName, Handler> = {
  serve: ({ options }) => serve(readProcesses(options), settings()),
  audit: ({ options }) => {
    const request = readAuditRequest(options, Date.now());
    return auditCommand(settings(), request);
  },
  backup: ({ args: [file = ""] }) => backupCommand(settings(), file),
  doctor: () => examine(settings()),
  import: (input) => importFromElsewhere(settings(), input),
  migrate: () => migrateCommand(settings()),
  "rotate-key": (input) => rotateKeyCommand(settings(), askFor(input)),
  "root-password": (input) => runRootPasswordCommand(settings(), askFor(input)),
  usernames: () => runUsernamesCommand(settings()),
};

function settings(): Settings {
  return readSettings(readEnvironment());
}

/** The file of ENVIRONMENT_FILE is first read by the commands that need settings. */
function readEnvironment(): Environment {
  environmentReader ??= openEnvironment(process.env);
  return environmentReader();
}

try {
  await runCommandLine(process.argv.slice(2));
} catch (error) {
  const isExplained = [
    ConfigError,
    SchemaError,
    StorageUnavailable,
    BackupError,
    RootMissing,
    RotationError,
    UndecryptableValue,
  ].some((kind) => error instanceof kind);
  if (error instanceof UsageError) fail(error.message, exitCodes.usage);
  else fail(isExplained ? (error as Error).message : ((error as Error).stack ?? String(error)));
}

async function runCommandLine(words: readonly string[]): Promise<void> {
  // A gateway without options keeps no parser in memory.
  if (words.length === 0 || (words.length === 1 && words[0] === "serve"))
    return await serve({}, settings());
  const { readCommandLine } = await import("../commands/command-line/read-command-line.ts");
  const line = await readCommandLine(words);
  if (line.kind === "wrong") throw new UsageError(line.problem);
  if (line.kind === "help") return console.log(line.text);
  if (line.kind === "version") {
    const { formatVersionText } = await import("../commands/command-line/program-version.ts");
    return console.log(await formatVersionText());
  }
  const { input } = line;
  const { name } = input;
  if (isLocal(name)) return await handlers[name](input);
  const { agentCommands } = await import("../commands/command-line/command-table.ts");
  const agentCommand = agentCommands.find((row) => row.name === name);
  if (agentCommand) return await serveAgents(agentCommand.name, input);
  await manage(input);
}

function isLocal(name: string): name is LocalCommandName {
  return Object.hasOwn(handlers, name);
}

function askFor({ options }: CommandInput): (question: string) => Promise<Consent> {
  return (question) => askAtTerminal(question, options);
}

/** The question goes to standard error, so that the output can be piped. */
async function askAtTerminal(question: string, options: GivenOptions): Promise<Consent> {
  const { stdin: input, stderr: output } = process;
  const { askConsent } = await import("../commands/command-line/consent.ts");
  return await askConsent(question, options, {
    input,
    output,
    isPerson: input.isTTY && output.isTTY,
  });
}

interface Processes {
  /** Undefined for one alone. */
  number?: number;
  count?: number;
  /** The operator knows that rows of a wrong clock are in the log. */
  acceptsFutureIds?: boolean;
}

function readProcesses(options: GivenOptions): Processes {
  const count = readProcessCount(findText(options, "processes"));
  if (count === undefined)
    throw new UsageError(`serve takes --processes with a number from 1 to ${nodesMax}`);
  const number = findText(options, "process");
  const acceptsFutureIds = options["accept-future-ids"] === true;
  return number === undefined
    ? { count, acceptsFutureIds }
    : { count, acceptsFutureIds, number: Number(number) };
}

async function serve(
  { count = 1, number, acceptsFutureIds = false }: Processes,
  config: Settings,
): Promise<void> {
  if (number !== undefined || count === 1) {
    // A terminal that closes ends what runs in it.
    const onReload = process.stdin.isTTY ? undefined : awaitReloads();
    return await serveProcess(await addMasterKey(config), {
      number,
      processCount: count,
      acceptsFutureIds,
      onReload,
    });
  }
  if (!config.databaseUrl)
    throw new ConfigError(
      "several processes need PostgreSQL: set DATABASE_URL, or leave out --processes",
    );
  if (config.port === 0)
    throw new ConfigError("several processes need a PORT: each would take another free one");
  const log = openLog(config.logLevel, null);
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
    log.info({
      event: "limits_per_process",
      note: "without REDIS_URL each process counts limits alone",
    });
  process.exit(
    await runProcessGroup({ count, options: acceptsFutureIds ? ["--accept-future-ids"] : [], log }),
  );
}

/** `number` is that of this process where several share the port. */
async function serveProcess(
  config: Config,
  {
    number,
    processCount,
    acceptsFutureIds,
    onReload,
  }: {
    number: number | undefined;
    processCount: number;
    acceptsFutureIds: boolean;
    /** Undefined in a terminal. */
    onReload: ReturnType<typeof awaitReloads> | undefined;
  },
): Promise<void> {
  // `npm start` holds a channel to this process, which closes however that parent ends, also by
  // kill -9.
  const parentEnd = process.channel && once(process, "disconnect");
  const log = openLog(config.logLevel, number === undefined ? null : { process: number });
  for (const note of config.aliasesUsed) log.info({ event: "mapped", note });
  for (const note of config.foreignNotes) log.warn({ event: "not_read", note });
  if (config.trustedHeader)
    log.info(
      { event: "proxy_sign_in_on", header: config.trustedHeader.nameHeader },
      "reverse proxies sign users in",
    );
  const onFatal = (error: Error): void => {
    // Calls cannot be charged without storage; a supervisor restarts the process.
    log.fatal({ event: "storage_lost", err: error }, "storage is gone");
    process.exit(1);
  };
  const tellJump = tellClockJump(log);
  const db = await open(config, onFatal, (jump) => {
    tellJump(jump);
    if (jump.isFollowed)
      followClock(db).catch((error: unknown) =>
        log.error({ event: "trouble", err: error }, "the clock's change was not stored"),
      );
  });
  requireStartClock(db.newestIdAt(), { now: Date.now(), acceptsFutureIds, log });
  await followClock(db);
  if (await isRotationUnfinished(db)) throw new ConfigError(rotationUnfinished);
  const keyProblem = await claimDatabaseKey(db, createSealer(config.masterKey), {
    alone: (work) => runAlone(config, work),
    onUnproved: (columns) =>
      log.warn(
        { event: "master_key_unproved", columns },
        "sealed values open with no key at hand; enter them again",
      ),
  });
  if (keyProblem !== undefined) throw new ConfigError(keyProblem);
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
  if (onReload) onReload(composeReload({ read: readEnvironment, config, app, log }));
  else process.on("SIGHUP", () => void stop());
  // A gateway that stops already keeps its grace.
  void parentEnd?.then(() => (stops === 0 ? stop() : undefined));
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error) => {
      // The state of the process is unknown: finish the running calls, then let the supervisor
      // restart it.
      log.fatal({ event, err: error }, "stopping after an uncaught error");
      void app.stop(config.shutdownGraceMs).finally(() => process.exit(1));
    });
  }

  const admit = holdRequests(app.server);
  await new Promise<void>((resolve, reject) => {
    app.server.once("error", (error: NodeJS.ErrnoException) =>
      reject(buildUnlistenable(error, config)),
    );
    const { port, host } = config;
    app.server.listen(
      { port, host, reusePort: number !== undefined, backlog: waitingConnectionsMax },
      resolve,
    );
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
  // After listening: a password that was generated but not printed, because the port was taken,
  // would be lost. Nobody is answered before.
  const created = await ensureRoot(db, createUserStore(db), {
    initialPassword: config.initialRootPassword,
    now: Date.now(),
  });
  admit();
  const bound = app.server.address();
  const port = typeof bound === "object" && bound ? bound.port : config.port;
  const shown = config.host.includes(":") ? `[${config.host}]` : config.host;
  log.info({ event: "listening", url: `http://${shown}:${port}`, storage: db.dialect });
  const address =
    config.publicUrl?.href ?? `http://${shown === "127.0.0.1" ? "localhost" : shown}:${port}`;
  if (created) process.stdout.write(composeBanner(address, created));
  else if (process.stdout.isTTY && !number)
    process.stdout.write(`\n  Tollgate is running at ${address}\n\n`);
  if (number !== undefined) process.send?.(listeningMessage);
  collectStartGarbage();
}

async function importFromElsewhere(settings: Settings, input: CommandInput): Promise<void> {
  const args = readImportArguments(input, settings.importSource);
  for (const flag of importMemory) setFlagsFromString(flag);
  // Nothing of it is loaded by a running gateway.
  const { importCommand } = await import("./open-import.ts");
  const { initialRootPassword, importLogSource } = settings;
  process.exitCode = await importCommand({
    args,
    defaultLogSource: importLogSource,
    privateHosts: { upstream: settings.upstreamPrivateHosts, proxy: settings.proxyPrivateHosts },
    initialRootPassword,
    environment: process.env,
    async withDatabase(work) {
      console.log(`Database: ${readDatabasePlace(settings)}`);
      // Nothing was carried to where no database is.
      if (args.isVerify || args.isUndo) await requireDatabase(settings);
      const { masterKey } = await addMasterKey(settings);
      // A gateway may run on a file that is only read.
      if ((args.isPlan || args.isVerify) && (await isReadable(settings)))
        return await runOnReadOnlyFile(settings, (db) => work(db, masterKey));
      await runOnDatabase({ ...settings, hasLittleMemory: true }, (db) => work(db, masterKey));
    },
    print: (line) => console.log(line),
  });
}

async function manage(command: CommandInput): Promise<void> {
  const { runRemoteCommand } = await import("./open-command-line.ts");
  process.exitCode = await runRemoteCommand({
    command,
    gateway: readGatewayAddress(process.env),
    consent: askAtTerminal,
    environment: process.env,
    input: process.stdin,
    print: (text) => console.log(text),
    warn: (text) => console.error(text),
  });
}

async function serveAgents(name: AgentCommandName, command: CommandInput): Promise<void> {
  const { runAgentCommand } = await import("../commands/agents/agent-commands.ts");
  const { findOwnProgram } = await import("../commands/agents/own-program.ts");
  process.exitCode = await runAgentCommand(name, {
    command,
    environment: process.env,
    program: findOwnProgram(process.env, process.execPath, process.argv[1] ?? ""),
    print: (text) => console.log(text),
    warn: (text) => console.error(text),
  });
}

async function examine(settings: Settings): Promise<void> {
  const { runDoctorCommand } = await import("./open-doctor.ts");
  process.exitCode = await runDoctorCommand({
    settings,
    environment: readEnvironment(),
    print: (line) => console.log(line),
  });
}
