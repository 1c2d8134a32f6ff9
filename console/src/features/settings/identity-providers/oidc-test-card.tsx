import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { type OidcProvider, testOidcProvider } from "@tollgate/contract/accounts/oidc-providers.ts";
import { findRequestId, readReason } from "../../../api-error.ts";
import { api } from "../../../api-queries.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { type ContractForm, useFieldValue } from "../../../ui/form/form-contract.ts";
import { listOidcFindings } from "./oidc-findings.ts";
import { type OidcFormValues, readIssuer } from "./oidc-form-values.ts";
import { buildFindingWords } from "./oidc-words.ts";

interface OidcTestCardProps {
  form: ContractForm<OidcFormValues>;
  /** Its secret is tried where the form holds none. */
  stored: OidcProvider | undefined;
}

/** Tries what the form holds, saved or not. */
export function OidcTestCard({ form, stored }: OidcTestCardProps) {
  const { t } = useLingui();
  const [issuer, clientId, secret, scopes, rules, isPublic] = [
    readIssuer(useFieldValue(form, "issuer")),
    useFieldValue(form, "client_id").trim(),
    useFieldValue(form, "client_secret").trim(),
    useFieldValue(form, "scopes"),
    useFieldValue(form, "rules"),
    useFieldValue(form, "is_public"),
  ];
  const test = useMutation(api.mutation(testOidcProvider));
  const run = () => {
    const ownSecret = isPublic || secret === "" ? {} : { client_secret: secret };
    const reference = isPublic || stored === undefined ? {} : { id: stored.id };
    test.mutate({ body: { ...reference, issuer, client_id: clientId, ...ownSecret } });
  };
  const report = test.data?.data;
  return (
    <Card
      title={<Trans>Test</Trans>}
      note={
        <Trans>Reads the provider's document and tries the client with it. Nothing is saved.</Trans>
      }
      action={
        <Button
          size="sm"
          busy={test.isPending}
          disabled={issuer === "" || clientId === ""}
          onClick={run}
        >
          <Trans>Test provider</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-3" aria-live="polite">
        {issuer === "" || clientId === "" ? (
          <p className="text-muted text-sm">
            <Trans>It needs the issuer and the client ID.</Trans>
          </p>
        ) : (
          report === undefined &&
          test.error === null && (
            <p className="text-muted text-sm">
              <Trans>Not tested yet.</Trans>
            </p>
          )
        )}
        {test.error !== null && (
          <Alert
            title={readReason(test.error, t`Operation failed`)}
            requestId={findRequestId(test.error)}
          />
        )}
        {report !== undefined && (
          <>
            {listOidcFindings(
              report,
              scopes,
              rules.map(({ claim }) => claim),
            ).map((finding) => {
              const { title, remedy } = buildFindingWords(finding);
              return (
                <Alert key={finding.code} tone={finding.tone} title={t(title)}>
                  {t(remedy)}
                </Alert>
              );
            })}
            {report.detail !== "" && (
              <code className="font-mono text-sm [overflow-wrap:anywhere]">{report.detail}</code>
            )}
            {report.problem === "issuer" && (
              <div>
                <Button size="sm" onClick={() => form.set("issuer", report.detail)}>
                  <Trans>Use this issuer</Trans>
                </Button>
              </div>
            )}
            <Facts
              facts={[
                [t`Sign-in page`, report.authorization_endpoint],
                [t`Token endpoint`, report.token_endpoint],
                [t`Sign-out page`, report.end_session_endpoint],
                [t`Signatures`, report.algorithms.join(", ")],
                [t`Scopes`, report.scopes.join(" ")],
              ]}
            />
          </>
        )}
      </div>
    </Card>
  );
}

const Facts = ({ facts }: { facts: readonly (readonly [label: string, value: string])[] }) => (
  <dl className="grid gap-x-3 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
    {facts
      .filter(([, value]) => value !== "")
      .map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="font-mono [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
  </dl>
);
