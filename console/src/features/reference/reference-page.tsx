import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { clientGroup } from "@tollgate/contract/api/described-operations.ts";
import { getOpenApi } from "@tollgate/contract/commands/documents.ts";
import { useDeferredValue, useMemo, useState } from "react";
import { api } from "../../api-queries.ts";
import { CaptionedCode } from "../../components/captioned-code.tsx";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { basePath, readSiteAddress } from "../../site-path.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Input } from "../../ui/form/input.tsx";
import { Page } from "../../ui/page.tsx";
import { OperationItem } from "./operation-item.tsx";
import { ReferenceIntroduction } from "./reference-introduction.tsx";
import {
  type ApiDescription,
  buildReference,
  type OperationGroup,
  searchReference,
} from "./reference-search.ts";

/** Both APIs for people, from what the gateway says of itself. */
export function ReferencePage() {
  const { t } = useLingui();
  const document = useQuery({ ...api.query(getOpenApi), staleTime: Number.POSITIVE_INFINITY });
  return (
    <Page
      title={t`API reference`}
      subtitle={t`What programs may ask of this gateway`}
      action={
        <a href={basePath + getOpenApi.path} className="py-0.5 text-sm">
          <Trans>As an OpenAPI document</Trans>
        </a>
      }
    >
      <ReferenceIntroduction />
      {document.data === undefined ? (
        <Card title={<Trans>Operations</Trans>}>
          <CardLoading source={document} />
        </Card>
      ) : (
        <SearchedReference document={document.data.data} />
      )}
    </Page>
  );
}

function SearchedReference({ document }: { document: Record<string, unknown> }) {
  const { t } = useLingui();
  const { keyword = "" }: { keyword?: string } = useSearch({ strict: false });
  const [text, setText] = useState(keyword);
  const searched = useDeferredValue(text.trim());
  const reference = useMemo(() => buildReference(document), [document]);
  const found = useMemo(() => searchReference(reference, searched), [reference, searched]);
  const count = found.groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <>
      <Card title={<Trans>Operations</Trans>}>
        <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="w-full md:w-80">
            <Input
              type="search"
              controlSize="sm"
              aria-label={t`Search the reference`}
              placeholder={t`Address, name, scope or code...`}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <p role="status" className="text-muted text-sm tabular-nums">
            <Plural value={count} one="# operation" other="# operations" />
          </p>
        </div>
        {count === 0 ? (
          <p className="flex flex-wrap items-center justify-center gap-2 py-10 text-muted">
            <Trans>No operation matches.</Trans>
            {searched !== "" && (
              <Button size="sm" onClick={() => setText("")}>
                <Trans>Clear search</Trans>
              </Button>
            )}
          </p>
        ) : (
          <div className="flex flex-col divide-y divide-line">
            {found.groups.map((group) => (
              // With the kind of list: what a search found stands open.
              <GroupItem
                key={`${group.name} ${searched === ""}`}
                group={group}
                isOpen={searched !== ""}
              />
            ))}
          </div>
        )}
      </Card>
      <ExamplesCard examples={found.examples} />
      <ScopesCard scopes={found.scopes} />
      <RefusalsCard refusals={found.refusals} isSearched={searched !== ""} />
    </>
  );
}

function GroupItem({
  group: { name, operations },
  isOpen,
}: {
  group: OperationGroup;
  isOpen: boolean;
}) {
  const [wasOpened, setOpened] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={() => setOpened(true)}>
      <summary className="cursor-pointer py-2 font-medium">
        {name === clientGroup ? <Trans>Client API</Trans> : name}{" "}
        <span className="font-normal text-muted text-sm tabular-nums">{operations.length}</span>
      </summary>
      {wasOpened && (
        <ul className="flex flex-col divide-y divide-line pb-2 pl-4">
          {operations.map((operation) => (
            <OperationItem key={`${operation.method} ${operation.path}`} operation={operation} />
          ))}
        </ul>
      )}
    </details>
  );
}

function ExamplesCard({ examples }: Pick<ApiDescription, "examples">) {
  const address = readSiteAddress();
  if (examples.length === 0) return null;
  return (
    <Card
      title={<Trans>Examples</Trans>}
      note={
        <Trans>
          TOLLGATE_URL is {address}, TOLLGATE_KEY a management key and API_KEY an API key.
        </Trans>
      }
    >
      {examples.map(([title, command]) => (
        <CaptionedCode key={title} label={title} code={command} isCopied />
      ))}
    </Card>
  );
}

const cells = "py-1.5 pr-4 text-left align-top";

function ScopesCard({ scopes }: Pick<ApiDescription, "scopes">) {
  if (scopes.length === 0) return null;
  return (
    <Card
      title={<Trans>Scopes</Trans>}
      note={<Trans>What a management key may do, and who may give it that</Trans>}
    >
      <table className="text-sm">
        <thead>
          <tr className="text-muted">
            <th className={cells}>
              <Trans>Scope</Trans>
            </th>
            <th className={cells}>
              <Trans>Lowest role</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {scopes.map(([scope, role]) => (
            <tr key={scope}>
              <td className={cells}>
                <code className="font-mono">{scope}</code>
              </td>
              <td className={cells}>{role}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** The first of hundreds show what codes are; a search shows all that it finds. */
const shownRefusals = 20;

type RefusalsCardProps = Pick<ApiDescription, "refusals"> & { isSearched: boolean };

function RefusalsCard({ refusals, isSearched }: RefusalsCardProps) {
  if (refusals.length === 0) return null;
  const shown = isSearched ? refusals.length : shownRefusals;
  return (
    <Card
      title={<Trans>Codes of refusals</Trans>}
      note={<Plural value={refusals.length} one="# code" other="# codes" />}
    >
      <RefusalList refusals={refusals.slice(0, shown)} />
      {refusals.length > shown && (
        <details>
          <summary className="cursor-pointer py-3 font-medium">
            <Trans>All other codes</Trans>
          </summary>
          <RefusalList refusals={refusals.slice(shown)} />
        </details>
      )}
    </Card>
  );
}

function RefusalList({ refusals }: Pick<ApiDescription, "refusals">) {
  return (
    <dl className="flex flex-col gap-2 text-sm">
      {refusals.map(({ code, status, message }) => (
        <div key={code} className="grid gap-x-4 md:grid-cols-[20rem_1fr]">
          <dt>
            <code className="break-all font-mono">{code}</code>{" "}
            <span className="text-muted">{status}</span>
          </dt>
          <dd>{message}</dd>
        </div>
      ))}
    </dl>
  );
}
