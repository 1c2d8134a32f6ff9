import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { DataOf, Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { byId } from "@tollgate/contract/api/ids.ts";
import type { ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { isRoot, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { FormLoading } from "../forms/form-loading.tsx";
import { type ThingKind, ThingTabs } from "./thing-tabs.tsx";

const ChangeTable = buildLazyPart(
  async () => (await import("../changes/change-table.tsx")).ChangeTable,
);

type ThingPageProps<E> = {
  endpoint: E;
  kind: ThingKind;
  /** The title while the thing loads, and where it has no name. */
  title: string;
  /** Shown while the thing loads. */
  loading: string;
  list: { to: string; label: string };
  nameOf: (thing: DataOf<E>) => string;
  subtitle: (thing: DataOf<E>) => ReactNode;
  action?: (thing: DataOf<E>) => ReactNode;
  children: (thing: DataOf<E>) => ReactNode;
};

/** The page of the thing named in the URL: what it is and does, and how it was changed. */
export function ThingPage<E extends Endpoint & { params: typeof byId }>(props: ThingPageProps<E>) {
  const { id = "", tab = "overview" } = useParams({ strict: false });
  const { user } = useSession();
  const thing = useQuery(
    api.query<Endpoint & { params: typeof byId }>(props.endpoint, { params: { id } }),
  );
  const read = thing.error === null ? (thing.data?.data as DataOf<E> | undefined) : undefined;
  if (read === undefined)
    return (
      <Page title={props.title}>
        <FormLoading source={thing} text={props.loading} fields={4} list={props.list} />
      </Page>
    );
  const current = findTab(tab, isRoot(user));
  const { uuid = "" } = read as unknown as { uuid?: string };
  return (
    <Page
      title={props.nameOf(read) || props.title}
      subtitle={props.subtitle(read)}
      action={props.action?.(read)}
    >
      <ThingTabs kind={props.kind} id={id} current={current}>
        {current === "overview" && (
          <div className="flex flex-col gap-6">{props.children(read)}</div>
        )}
        {current === "changes" && <ChangeTable query={{ target: uuid || id }} />}
        {current === undefined && <NoSuchTab />}
      </ThingTabs>
    </Page>
  );
}

/** The form stands at an address of its own, and the record of changes is for root. */
function findTab(named: string, mayReadChanges: boolean): "overview" | "changes" | undefined {
  if (named === "overview") return "overview";
  return named === "changes" && mayReadChanges ? "changes" : undefined;
}

function NoSuchTab() {
  const { t } = useLingui();
  return <Alert title={t`This part of the page does not exist, or you have no access to it.`} />;
}

/** `ThingColumns` has what a thing did at the left, and what it is at the right. */
export const ThingColumns = ({ main, aside }: { main: ReactNode; aside: ReactNode }) => (
  <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
    <div className="flex min-w-0 flex-col gap-6">{main}</div>
    <div className="flex min-w-0 flex-col gap-6">{aside}</div>
  </div>
);

type ThingSubtitleProps = { kind: ReactNode; children: ReactNode };

/** `ThingSubtitle` says what kind of thing it is, with its badges. */
export const ThingSubtitle = ({ kind, children }: ThingSubtitleProps) => (
  <span className="inline-flex flex-wrap items-center gap-2">
    {kind}
    {children}
  </span>
);
