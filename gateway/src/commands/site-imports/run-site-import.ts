/**
 * A run of an import from the console: it reads the source in a process of its own, writes,
 * compares, and tells how far it is.
 */

import { type Database, tryWrite } from "../../storage/database.ts";
import type { SiteImportRow } from "../../storage/tables/record-tables.ts";
import type { ImportReport } from "../import/import-report.ts";
import type { ImportRun } from "../import/import-run.ts";
import type { openRemoteSource } from "../import/remote-source.ts";
import type { runImport } from "../import/run-import.ts";
import type { SourceToOpen } from "../import/source-protocol.ts";
import { ImportRefused } from "../import/sources/source-tables.ts";
import type { ImportComparison, verifyImport } from "../import/verify-import.ts";
import { readStoredReport } from "./import-view.ts";
import type { SiteImportHold, SiteImportProgress, SiteImportStore } from "./site-import-store.ts";

/** After this a run whose process has died counts as interrupted. */
export const leaseMs = 60_000;
const progressEveryMs = 2_000;

/** The parts of an import, which few gateways ever load. */
export interface ImportEngine {
  createReport(): ImportReport;
  openSource: typeof openRemoteSource;
  compose(source: ImportRun["source"], report: ImportReport): ImportRun;
  run: typeof runImport;
  verify: typeof verifyImport;
}

export interface SiteImportWork {
  hold: SiteImportHold;
  phase: "plan" | "carry";
  source: SourceToOpen;
  /** `label` is what the operator knows the source by, until it is opened. */
  label: string;
  signal: AbortSignal;
  /** Once everything is carried and compared: the source is not needed any more. */
  removeSource(): Promise<void>;
  engine: ImportEngine;
}

interface SiteImportRunDeps {
  db: Pick<Database, "write">;
  store: SiteImportStore;
  now(): number;
  onError(error: unknown): void;
}

/** Resolves when its end is written, or another run has taken its place. */
export async function runSiteImport(
  { db, store, now, onError }: SiteImportRunDeps,
  { hold, phase, source, label, signal, removeSource, engine }: SiteImportWork,
): Promise<void> {
  const report = engine.createReport();
  const state: { phase: SiteImportRow["phase"]; label: string; system: string } = {
    phase,
    label,
    system: "",
  };
  let comparison: ImportComparison | undefined;
  const progress = (): SiteImportProgress => ({
    ...state,
    report: JSON.stringify(readStoredReport(report, comparison)),
  });
  const replaced = new AbortController();
  const stops = AbortSignal.any([signal, replaced.signal]);
  const timer = setInterval(() => {
    tryWrite(db, [store.progress(hold, progress(), now() + leaseMs)]).then((rejection) => {
      if (rejection) replaced.abort();
    }, onError);
  }, progressEveryMs);

  async function work(): Promise<void> {
    const isOnNetwork = source.checkedAddress !== undefined || source.log !== undefined;
    const opened = await engine.openSource(source, { signal: stops, isOnNetwork });
    try {
      state.system = opened.source.system;
      const run = engine.compose(opened.source, report);
      await engine.run(run);
      if (phase === "plan") return;
      state.phase = "verify";
      comparison = await engine.verify(run);
      await removeSource();
    } finally {
      opened.close();
    }
  }

  const failure = await work().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ImportRefused) return stripPaths(error.message, source);
      onError(error);
      return "Something went wrong on the server; its log says what";
    },
  );
  clearInterval(timer);
  if (replaced.signal.aborted) return;
  const ended = failure === undefined ? "done" : signal.aborted ? "stopped" : "failed";
  const end = {
    state: ended,
    failure: ended === "failed" ? (failure ?? "") : "",
    ended_at: now(),
  } as const;
  const isForgotten = ended === "done" && phase === "carry";
  await db.write([
    store.end(hold, progress(), { ...end, ...(isForgotten && { source_sealed: "" }) }),
  ]);
}

/** `stripPaths` says where uploads lie is nothing that helps. */
const stripPaths = (
  message: string,
  { database, configFile, checkedAddress }: SourceToOpen,
): string =>
  [checkedAddress === undefined ? database : "", configFile ?? ""]
    .filter((path) => path !== "")
    .reduce((text, path) => text.replaceAll(path, "the file"), message);
