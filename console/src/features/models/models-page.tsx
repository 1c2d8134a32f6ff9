import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { SubjectBudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Input } from "../../ui/form/input.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ellipsis } from "../../ui/line-icon.tsx";
import { Menu, MenuLink } from "../../ui/menu/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { Switches } from "../../ui/switches.tsx";
import { Pagination } from "../../ui/table/pagination.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import {
  type FlatModel,
  flattenGroups,
  groupModels,
  type ListedModel,
  listMatchingGroups,
  type ModelGroup,
  nameGroup,
} from "./model-groups.ts";
import { listModelColumns, type ModelColumns, ModelList, ModelTable } from "./model-table.tsx";

/** The public list of models and prices. */
export function ModelsPage() {
  const { t } = useLingui();
  const { user } = useSession();
  const { keyword = "" }: { keyword?: string } = useSearch({ strict: false });
  const catalogue = useQuery(api.query(listDisplayedModels));
  const data = catalogue.data?.data;
  const showChannels = isAdmin(user);
  const groups = useMemo(() => groupModels(data ?? {}, showChannels), [data, showChannels]);
  // On a phone the models come first.
  const isNarrow = useBreakpoint() === "mobile";
  const budgets = isAdmin(user) && <SubjectBudgetsCard subject="model" />;
  const subtitle =
    user === null
      ? t`What this gateway offers. Prices are in US dollars per 1M tokens.`
      : t`Models you can call. Prices are in US dollars per 1M tokens, before the ratio of your group.`;
  return (
    <Page title={t`Models`} subtitle={subtitle} action={<ModelsActions />}>
      {catalogue.isError && (
        <Alert
          title={t`The models could not be loaded`}
          requestId={findRequestId(catalogue.error)}
          onRetry={() => void catalogue.refetch()}
          retrying={catalogue.isFetching}
        >
          {readReason(catalogue.error, t`An unexpected error occurred`)}
        </Alert>
      )}
      {catalogue.isPending && <ModelsLoading />}
      {!isNarrow && budgets}
      {data !== undefined && <Catalogue key={keyword} groups={groups} searchedFirst={keyword} />}
      {isNarrow && budgets}
    </Page>
  );
}

type LinkTarget = { to: never; params: never };
type PageLink = { to: string; label: ReactNode; params?: { id: undefined } };

/** Trying a model, and the pages about models, on a phone in a menu. */
function ModelsActions() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const isNarrow = useBreakpoint() === "mobile";
  const listed = { params: { id: undefined } };
  const admins = (feature: Parameters<typeof hasFeature>[1], link: PageLink): PageLink[] =>
    isAdmin(user) && hasFeature(status, feature) ? [link] : [];
  const mayTry = user !== null && hasFeature(status, "playground");
  const links: PageLink[] = [
    ...(status.status_page === "public" || (status.status_page === "users" && user !== null)
      ? [{ to: "/status", label: <Trans>Status</Trans> }]
      : []),
    ...(user === null && hasFeature(status, "key_holder_page")
      ? [{ to: "/key", label: <Trans>Your API key</Trans> }]
      : []),
    ...admins("model_prices", { to: "/channels/prices", label: <Trans>Edit prices</Trans> }),
    ...admins("virtual_models", {
      to: "/channels/virtual/{-$id}",
      label: <Trans>Virtual models</Trans>,
      ...listed,
    }),
    ...admins("mcp_servers", {
      to: "/channels/mcp/{-$id}",
      label: <Trans>MCP servers</Trans>,
      ...listed,
    }),
  ];
  const isMenu = isNarrow && links.length > 1;
  if (links.length === 0 && !mayTry) return null;
  return (
    // On a phone in a row of their own: beside them the sentence about prices would have six lines.
    <div className="flex flex-wrap gap-2 max-md:min-w-[75vw]">
      {!isMenu &&
        links.map(({ label, ...link }) => (
          <ButtonLink key={link.to} {...(link as LinkTarget)}>
            {label}
          </ButtonLink>
        ))}
      {mayTry && (
        <ButtonLink to="/playground" variant="primary">
          <Trans>Playground</Trans>
        </ButtonLink>
      )}
      {isMenu && (
        <Menu
          trigger={<IconButton variant="secondary" label={t`More about models`} icon={ellipsis} />}
        >
          {links.map(({ label, ...link }) => (
            <MenuLink key={link.to} {...(link as LinkTarget)}>
              {label}
            </MenuLink>
          ))}
        </Menu>
      )}
    </div>
  );
}

function Catalogue({ groups, searchedFirst }: { groups: ModelGroup[]; searchedFirst: string }) {
  const { t, i18n } = useLingui();
  const { user, status } = useSession();
  const [text, setText] = useState(searchedFirst);
  const searched = useDeferredValue(text);
  const found = useMemo(() => listMatchingGroups(groups, searched), [groups, searched]);
  const [order, setOrder] = useModelOrder();
  const flat = useMemo(() => (order === "flat" ? flattenGroups(found) : []), [order, found]);
  // The same for all groups, so that their columns stand below each other.
  const columns = useMemo(() => listModelColumns(groups.flatMap(({ models }) => models)), [groups]);
  const count =
    order === "flat" ? flat.length : found.reduce((sum, { models }) => sum + models.length, 0);
  if (groups.length === 0)
    return (
      <NoModels>
        {isAdmin(user) ? (
          <>
            <Trans>No channel offers a model yet.</Trans>{" "}
            <ButtonLink
              to={hasFeature(status, "provider_check") ? "/channels/connect" : "/channels/add"}
              size="sm"
            >
              <Trans>Add Channel</Trans>
            </ButtonLink>
          </>
        ) : (
          <Trans>No model is offered here yet.</Trans>
        )}
      </NoModels>
    );
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 grow md:max-w-80">
          <Input
            type="search"
            controlSize="sm"
            aria-label={t`Search models`}
            placeholder={t`Search models or providers...`}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <p role="status" className="text-muted text-sm tabular-nums">
          <Plural value={count} one="# model" other="# models" />
        </p>
        {/* On a phone the models come first; there each has a card of its own anyway. */}
        <div className="ml-auto max-md:hidden">
          <Switches
            label={t`How models are listed`}
            choices={[
              { value: "groups", label: t`By provider` },
              { value: "flat", label: t`One table` },
            ]}
            chosen={order}
            onChoose={setOrder}
          />
        </div>
      </div>
      {found.length === 0 ? (
        <NoModels>
          <Trans>Nothing found for “{searched}”.</Trans>{" "}
          <Button size="sm" onClick={() => setText("")}>
            <Trans>Clear search</Trans>
          </Button>
        </NoModels>
      ) : order === "flat" ? (
        <ModelsCard
          key={`${i18n.locale} ${searched}`}
          label={t`All models`}
          models={flat}
          columns={columns}
        />
      ) : (
        // With the language: what the compiler kept would show prices with the separators of the
        // one before.
        found.map((group) => (
          <ModelsCard
            key={`${i18n.locale} ${group.key} ${searched}`}
            label={nameGroup(group)}
            models={group.models}
            columns={columns}
          />
        ))
      )}
    </>
  );
}

/** A longer list is read by its search, and shown page by page. */
const pageSize = 50;

type ModelsCardProps = {
  label: string;
  models: readonly (ListedModel | FlatModel)[];
  columns: ModelColumns;
};

function ModelsCard({ label, models, columns }: ModelsCardProps) {
  const screen = useBreakpoint();
  const [page, setPage] = useState(0);
  const [size, setSize] = useState(pageSize);
  const shown = models.slice(page * size, (page + 1) * size);
  return (
    <>
      <Card
        title={label}
        action={
          <span className="text-muted text-sm tabular-nums">
            <Plural value={models.length} one="# model" other="# models" />
          </span>
        }
        padded={false}
      >
        {screen === "mobile" ? (
          <ModelList label={label} models={shown} />
        ) : (
          <ModelTable label={label} models={shown} {...columns} />
        )}
      </Card>
      {models.length > pageSize && (
        <Pagination
          page={page}
          size={size}
          total={models.length}
          capped={false}
          screen={screen}
          onPage={setPage}
          onSize={(next) => {
            setSize(next);
            setPage(0);
          }}
        />
      )}
    </>
  );
}

function NoModels({ children }: { children: React.ReactNode }) {
  return (
    <Card className="flex flex-col items-center gap-3 py-16! text-center text-muted">
      <p className="font-medium text-ink">
        <Trans>No models found</Trans>
      </p>
      <p className="flex flex-wrap items-center justify-center gap-2">{children}</p>
    </Card>
  );
}

function ModelsLoading() {
  return (
    <Card className="flex flex-col gap-3">
      <LoadingStatus />
      <Skeleton className="h-6 w-40" />
      {["a", "b", "c", "d", "e", "f"].map((row) => (
        <Skeleton key={row} className="h-6 w-full" />
      ))}
    </Card>
  );
}

/** `ModelOrder` is how the list of models is shown: a table for each provider, or one of all. */
type ModelOrder = "groups" | "flat";

const storageKey = "models_shown";

/** The order that was chosen last in this browser; by provider before that. */
function useModelOrder(): [ModelOrder, (order: ModelOrder) => void] {
  const [order, setOrder] = useState(readStored);
  const choose = (next: ModelOrder) => {
    setOrder(next);
    try {
      localStorage.setItem(storageKey, next);
    } catch {}
  };
  return [order, choose];
}

function readStored(): ModelOrder {
  try {
    return localStorage.getItem(storageKey) === "flat" ? "flat" : "groups";
  } catch {
    return "groups";
  }
}
