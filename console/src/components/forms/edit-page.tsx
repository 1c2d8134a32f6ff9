import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { DataOf, Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { byId } from "@tollgate/contract/api/ids.ts";
import { type ComponentType, Fragment, type ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { Page } from "../../ui/page.tsx";
import { FormLoading } from "./form-loading.tsx";

type EditPageProps<E> = {
  endpoint: E;
  title: string;
  subtitle: string;
  /** Shown while the resource loads. */
  loading: string;
  /** `fields` says how many fields the form has, for its skeleton. */
  fields: number;
  list: { to: string; label: string };
  /** `frame` stands around the form: the tabs of a thing that has a page of its own. */
  frame?: ComponentType<{ children: ReactNode }>;
  /** `action` stands at the right of the title, once the resource is there. */
  action?: (resource: DataOf<E>) => ReactNode;
  children: (resource: DataOf<E>, reload: () => void) => ReactNode;
};

/** The page that edits the resource named in the URL. */
export function EditPage<E extends Endpoint & { params: typeof byId }>(props: EditPageProps<E>) {
  const { id = "" } = useParams({ strict: false });
  // Never cached and never refetched under the form: what is typed belongs to the version that was
  // read.
  const resource = useQuery({
    ...api.query<Endpoint & { params: typeof byId }>(props.endpoint, { params: { id } }),
    gcTime: 0,
    refetchOnReconnect: false,
  });
  const read = resource.error === null ? (resource.data?.data as DataOf<E> | undefined) : undefined;
  const Frame = props.frame ?? Fragment;
  const content =
    read === undefined ? (
      <FormLoading source={resource} text={props.loading} fields={props.fields} list={props.list} />
    ) : (
      <Fragment key={resource.dataUpdatedAt}>
        {props.children(read, () => void resource.refetch())}
      </Fragment>
    );
  return (
    <Page
      title={props.title}
      subtitle={props.subtitle}
      action={read !== undefined && props.action?.(read)}
    >
      <Frame>{content}</Frame>
    </Page>
  );
}
