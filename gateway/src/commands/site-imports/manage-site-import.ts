/**
 * The import from the console: named, its file received, planned, carried, stopped and forgotten.
 */
import { randomUUID } from "node:crypto";
import { parseEnv } from "node:util";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { beginSiteImport, SiteImport } from "@tollgate/contract/commands/site-imports.ts";
import type { PrivateHosts } from "../../egress/address-policy.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database } from "../../storage/database.ts";
import type { SiteImportRow } from "../../storage/tables/record-tables.ts";
import type { LogToOpen, SourceToOpen } from "../import/source-protocol.ts";
import { checkSource } from "./checked-source.ts";
import type { ImportFolder } from "./import-folder.ts";
import { emptyReport, importView } from "./import-view.ts";
import { type ImportEngine, leaseMs, runSiteImport } from "./run-site-import.ts";
import type { SiteImportStore } from "./site-import-store.ts";

const purpose = "import-source";
const composeContext = (uuid: string) => `site_imports/source_sealed/${uuid}` as const;

/** `NamedSource` has the members of a source that are sealed, and those that say how to read it. */
interface NamedSource {
  /** Empty for a file. */
  address: string;
  /** Absent where the log is with the rest. */
  logAddress?: string;
  environment: Record<string, string>;
  unlimitedAs: number;
  logsSinceMs: number | undefined;
}

export interface EngineSettings {
  isPlan: boolean;
  name: string;
  logsSinceMs: number | undefined;
  actor: { id: number; address: string };
  now: number;
}

export interface SiteImportsDeps {
  db: Database;
  store: SiteImportStore;
  seal: Sealer;
  folder: ImportFolder;
  privateHosts: PrivateHosts;
  loadEngine(settings: EngineSettings): Promise<ImportEngine>;
  now(): number;
  onError(error: unknown): void;
}

export type SiteImports = ReturnType<typeof createSiteImports>;

export function createSiteImports(deps: SiteImportsDeps) {
  const { db, store, seal, folder, privateHosts, loadEngine, now, onError } = deps;
  let running: { stop: AbortController; done: Promise<void> } | undefined;

  async function latest(): Promise<{ latest: SiteImport | null }> {
    const row = await store.find();
    return { latest: row ? importView(row, await folder.bytesOf(row.uuid), now()) : null };
  }

  async function existing(): Promise<SiteImportRow> {
    const row = await store.find();
    if (!row) throw refuse("site_import_missing");
    return row;
  }

  async function begin(
    call: AuthenticatedContext & { body: BodyOf<typeof beginSiteImport> },
  ): Promise<void> {
    const {
      kind,
      address = "",
      name,
      logs,
      logs_since,
      log_address = "",
      environment = "",
      unlimited_as,
    } = call.body;
    const main = kind === "address" ? await allowedSource("address", address) : undefined;
    const log = log_address === "" ? undefined : await allowedSource("log_address", log_address);
    const label = [main, log].flatMap((one) => one?.label ?? []).join(" + ");
    const uuid = randomUUID();
    const named: NamedSource = {
      address: kind === "address" ? address : "",
      ...(log && { logAddress: log_address }),
      environment: parseVariables(environment),
      unlimitedAs: unlimited_as,
      logsSinceMs: logs ? Date.parse(`${logs_since ?? "1970-01-01"}T00:00:00Z`) : undefined,
    };
    const row: Omit<SiteImportRow, "id"> = {
      uuid,
      name,
      kind,
      label,
      system: "",
      source_sealed: seal.seal(purpose, composeContext(uuid), JSON.stringify(named)),
      phase: "plan",
      state: "waiting",
      failure: "",
      report: JSON.stringify(emptyReport),
      started_by: call.principal.username,
      started_at: call.now,
      ended_at: null,
      lease_until: 0,
    };
    await db.write([
      ...store.replace(row, call.now),
      ...call.audit("import.begin", name, { kind, source: label, logs }),
    ]);
    await folder.keepOnly(uuid);
  }

  async function allowedSource(field: "address" | "log_address", address: string) {
    const checked = await checkSource(address, privateHosts);
    if (typeof checked !== "string") return checked;
    const message = `${field}: ${checked}`;
    throw refuse("invalid_request", { message, fields: { [field]: message } });
  }

  async function sourceOf(row: SiteImportRow, named: NamedSource): Promise<SourceToOpen> {
    const { environment, unlimitedAs, logAddress } = named;
    const log = logAddress === undefined ? undefined : await logOf(logAddress);
    const shared = { environment, unlimitedAs, log, now: now() };
    if (row.kind === "address") {
      const { checkedAddress } = await allowedSource("address", named.address);
      return { ...shared, database: named.address, checkedAddress, configFile: undefined };
    }
    const file = await folder.find(row.uuid);
    if (!file) throw refuse("site_import_without_source");
    const place = file.isSqlite
      ? { database: file.path, configFile: undefined }
      : { database: "", configFile: file.path };
    return { ...shared, ...place, checkedAddress: undefined };
  }

  async function logOf(address: string): Promise<LogToOpen> {
    const { checkedAddress } = await allowedSource("log_address", address);
    return { address, checkedAddress };
  }

  async function start(call: AuthenticatedContext, phase: "plan" | "carry"): Promise<void> {
    const row = await existing();
    if (row.source_sealed === "") throw refuse("site_import_without_source");
    // Sealed by `begin`.
    const named = JSON.parse(
      seal.open(purpose, composeContext(row.uuid), row.source_sealed),
    ) as NamedSource;
    const source = await sourceOf(row, named);
    const hold = { uuid: row.uuid, startedAt: now() };
    const fresh = {
      phase,
      label: row.label,
      system: row.system,
      report: JSON.stringify(emptyReport),
    };
    await db.write([
      store.start(hold, fresh, hold.startedAt + leaseMs),
      ...(phase === "carry" ? call.audit("import.carry", row.name, { source: row.label }) : []),
    ]);
    const stop = new AbortController();
    const { logsSinceMs } = named;
    const actor = { id: call.principal.id, address: call.address };
    const isPlan = phase === "plan";
    const work = async (): Promise<void> => {
      const engine = await loadEngine({
        isPlan,
        name: row.name,
        logsSinceMs,
        actor,
        now: hold.startedAt,
      });
      const removeSource = () => folder.keepOnly(undefined);
      const given = {
        hold,
        phase,
        source,
        label: row.label,
        signal: stop.signal,
        removeSource,
        engine,
      };
      await runSiteImport({ db, store, now, onError }, given);
    };
    const done = work().catch(onError);
    running = { stop, done };
  }

  async function stopHere(): Promise<void> {
    running?.stop.abort();
    await running?.done;
  }

  return {
    latest,
    begin,
    start,

    async receive(offset: number, body: AsyncIterable<Uint8Array>): Promise<void> {
      const row = await existing();
      if (row.kind !== "file" || row.state !== "waiting") throw refuse("site_import_part");
      await folder.receive(row.uuid, offset, body);
    },

    /** `stop` gives one that another process runs ends there when it next tells how far it is. */
    async stop(): Promise<void> {
      await stopHere();
      await db.write([store.stop(now())]);
    },

    async remove(call: AuthenticatedContext): Promise<void> {
      const row = await existing();
      await db.write([store.remove(row.uuid, now()), ...call.audit("import.remove", row.name)]);
      await folder.keepOnly(undefined);
    },

    /** `close` leaves the things that were carried, and carrying again continues. */
    close: stopHere,
  };
}

const parseVariables = (text: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
