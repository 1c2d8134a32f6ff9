import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  carrySiteImport,
  getSiteImport,
  planSiteImport,
  removeSiteImport,
  type SiteImport,
  type SiteImportPhase,
  type SiteImportState,
  stopSiteImport,
} from "@tollgate/contract/commands/site-imports.ts";
import { useState } from "react";
import { readReason } from "../../../api-error.ts";
import { api } from "../../../api-queries.ts";
import { CardLoading } from "../../../components/forms/form-loading.tsx";
import { isRoot, useSession } from "../../../session.ts";
import { useReauth } from "../../../shell/use-reauth.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { OptionsNotAllowed } from "../option-tab.tsx";
import { formatMegabytes, ImportBeginForm } from "./import-begin-form.tsx";
import { ImportComparisonCard, ImportCounts, ImportFindings } from "./import-results.tsx";

const pollMs = 2_000;

const runningWords: Record<SiteImportPhase, ReturnType<typeof msg>> = {
  plan: msg`Reading the source for the plan`,
  carry: msg`Carrying`,
  verify: msg`Comparing both sides`,
};
const endWords: Record<Exclude<SiteImportState, "running">, ReturnType<typeof msg>> = {
  waiting: msg`The source is named, and was not read yet`,
  done: msg`Finished`,
  failed: msg`It failed`,
  stopped: msg`It was stopped. What was carried stays`,
  interrupted: msg`It stopped when its gateway stopped. Import again to complete it`,
};

export function SiteImportPage() {
  const { user } = useSession();
  return isRoot(user) ? <LoadedImport /> : <OptionsNotAllowed />;
}

function LoadedImport() {
  const report = useQuery({
    ...api.query(getSiteImport),
    select: ({ data }) => data.latest,
    refetchInterval: ({ state }) => (state.data?.data.latest?.state === "running" ? pollMs : false),
  });
  if (report.data === undefined) return <CardLoading source={report} />;
  if (report.data === null) return <ImportBeginForm />;
  return <LatestImport latest={report.data} />;
}

function LatestImport({ latest }: { latest: SiteImport }) {
  const { i18n } = useLingui();
  const {
    phase,
    state,
    name,
    source,
    system,
    kind,
    uploaded_bytes,
    failure,
    counts,
    findings,
    comparison,
  } = latest;
  const isRunning = state === "running";
  const words = isRunning ? runningWords[phase] : endWords[state];
  const place = [
    system,
    source,
    kind === "file" && uploaded_bytes > 0 ? formatMegabytes(uploaded_bytes) : "",
  ];
  return (
    <div className="flex flex-col gap-4">
      <Card
        title={
          phase === "plan" ? (
            <Trans>Plan of the import "{name}"</Trans>
          ) : (
            <Trans>Import "{name}"</Trans>
          )
        }
        note={place.filter((text) => text !== "").join(" · ")}
      >
        <div className="flex flex-col gap-4">
          {failure === "" ? (
            <p role="status">{words ? i18n._(words) : state}</p>
          ) : (
            <Alert title={<Trans>It failed</Trans>}>
              <p lang="en">{failure}</p>
            </Alert>
          )}
          {phase === "plan" && state === "done" && (
            <p className="text-muted text-sm">
              <Trans>Nothing written yet.</Trans>
            </p>
          )}
          {counts.length > 0 && <ImportCounts counts={counts} isPlan={phase === "plan"} />}
          <ImportActions latest={latest} />
        </div>
      </Card>
      {comparison !== null && <ImportComparisonCard comparison={comparison} />}
      {!isRunning && <ImportFindings findings={findings} />}
    </div>
  );
}

type ImportAct = "plan" | "carry" | "stop" | "remove";

function ImportActions({ latest: { state, phase, has_source } }: { latest: SiteImport }) {
  const { t } = useLingui();
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState<ImportAct>();
  const { withReauth, dialog } = useReauth();
  const act = async (kind: ImportAct, call: () => Promise<unknown>) => {
    setBusy(kind);
    setFailure("");
    try {
      await call();
    } catch (error) {
      setFailure(readReason(error, t`Operation failed`));
    }
    await api.refresh(getSiteImport);
    setBusy(undefined);
  };
  const carry = () => withReauth((proof) => api.call(carrySiteImport, { body: { ...proof } }));
  return (
    <>
      {failure !== "" && <Alert title={failure} />}
      <div className="flex flex-wrap gap-3">
        {state === "running" ? (
          <Button
            busy={busy === "stop"}
            onClick={() => void act("stop", () => api.call(stopSiteImport))}
          >
            <Trans>Stop</Trans>
          </Button>
        ) : (
          <>
            {has_source && state !== "waiting" && (
              <Button
                variant="primary"
                busy={busy === "carry"}
                onClick={() => void act("carry", carry)}
              >
                {phase === "plan" ? <Trans>Import</Trans> : <Trans>Import again</Trans>}
              </Button>
            )}
            {has_source && (
              <Button
                variant="primary"
                busy={busy === "plan"}
                onClick={() => void act("plan", () => api.call(planSiteImport))}
              >
                <Trans>Show the plan</Trans>
              </Button>
            )}
            <Button
              busy={busy === "remove"}
              onClick={() => void act("remove", () => api.call(removeSiteImport))}
            >
              {has_source ? <Trans>Remove</Trans> : <Trans>New import</Trans>}
            </Button>
          </>
        )}
      </div>
      {dialog}
    </>
  );
}
