/**
 * Objects beside OpenAI's Responses API that belong to the user who made them: their addresses, and
 * what may be sent there.
 */
import type { StateKind } from "../provider-states/state-references.ts";

export interface ObjectRoute {
  method: "GET" | "POST" | "DELETE";
  /** Below one object; `{}` is an id. Empty for the object itself. */
  below: string;
  /**
   * Members that a body may have; every other one is refused by its name. Missing where there is no
   * body.
   */
  members?: readonly string[];
  /** `items`: its ids are the user's from then on. `bytes`: a file, not JSON. */
  answer?: "items" | "bytes";
  /** `addsContext` says that its body is read by models later, in calls that name the object. */
  addsContext?: true;
}

export interface ObjectKind {
  kind: Extract<StateKind, "conversation" | "vector_store" | "container">;
  /** The last part of the address: `/v1/conversations`. */
  path: string;
  /** `noun` is in refusals. */
  noun: string;
  /** `heldMax` is that of one user: more are a mistake, or fill the operator's account. */
  heldMax: number;
  /**
   * `hasUnknownFee` says whether the provider bills for it in ways that no answer counts: then
   * channels keep it that pass on such costs.
   */
  hasUnknownFee: boolean;
  /** `isListed` says whether the API lists objects of this kind. */
  isListed: boolean;
  /** Members of its creation. */
  members: readonly string[];
  addsContext?: true;
  /** Sent with each request about it. */
  headers: readonly string[];
  routes: readonly ObjectRoute[];
}

const itself: readonly ObjectRoute[] = [
  { method: "GET", below: "" },
  { method: "DELETE", below: "" },
];
const chunks = ["attributes", "chunking_strategy"];

export const objectKinds: readonly ObjectKind[] = [
  {
    kind: "conversation",
    path: "conversations",
    noun: "conversation",
    heldMax: 10_000,
    hasUnknownFee: false,
    isListed: false,
    members: ["items", "metadata"],
    addsContext: true,
    headers: [],
    routes: [
      ...itself,
      { method: "POST", below: "", members: ["metadata"] },
      { method: "POST", below: "items", members: ["items"], answer: "items", addsContext: true },
      { method: "GET", below: "items", answer: "items" },
      { method: "GET", below: "items/{}", answer: "items" },
      { method: "DELETE", below: "items/{}" },
    ],
  },
  {
    kind: "vector_store",
    path: "vector_stores",
    noun: "vector store",
    heldMax: 100,
    hasUnknownFee: true,
    isListed: true,
    members: ["name", "description", "file_ids", "expires_after", "chunking_strategy", "metadata"],
    headers: ["openai-beta", "assistants=v2"],
    routes: [
      ...itself,
      { method: "POST", below: "", members: ["name", "expires_after", "metadata"] },
      {
        method: "POST",
        below: "search",
        members: ["query", "filters", "max_num_results", "ranking_options", "rewrite_query"],
      },
      { method: "POST", below: "files", members: ["file_id", ...chunks] },
      { method: "GET", below: "files" },
      { method: "GET", below: "files/{}" },
      { method: "POST", below: "files/{}", members: ["attributes"] },
      { method: "DELETE", below: "files/{}" },
      { method: "GET", below: "files/{}/content" },
      { method: "POST", below: "file_batches", members: ["file_ids", "files", ...chunks] },
      { method: "GET", below: "file_batches/{}" },
      { method: "POST", below: "file_batches/{}/cancel", members: [] },
      { method: "GET", below: "file_batches/{}/files" },
    ],
  },
  {
    kind: "container",
    path: "containers",
    noun: "container",
    heldMax: 100,
    hasUnknownFee: false,
    isListed: true,
    // Not the network that its programs reach, nor skills: those act with what the operator's
    // account may do.
    members: ["name", "expires_after", "file_ids", "memory_limit"],
    headers: [],
    routes: [
      ...itself,
      { method: "POST", below: "files", members: ["file_id"] },
      { method: "GET", below: "files" },
      { method: "GET", below: "files/{}" },
      { method: "DELETE", below: "files/{}" },
      { method: "GET", below: "files/{}/content", answer: "bytes" },
    ],
  },
];

export interface ObjectAddress {
  kind: ObjectKind;
  /** Undefined for all objects of the kind. */
  id?: string;
  /** Below the object, as it is sent on: empty for the object itself. */
  below: string;
  route?: ObjectRoute;
}

const idPart = "([\\w-]{1,256})";
const addresses = objectKinds.map((kind) => ({
  kind,
  routes: kind.routes.map((route) => ({
    route,
    pattern: new RegExp(
      `^/v1/${kind.path}/${idPart}${route.below && `/(${route.below.replace("{}", "[\\w-]{1,256}")})`}$`,
    ),
  })),
}));

/** Undefined for every other address. */
export function findObjectAddress(method: string, path: string): ObjectAddress | undefined {
  for (const { kind, routes } of addresses) {
    if (path === `/v1/${kind.path}`)
      return method === "POST" || (method === "GET" && kind.isListed)
        ? { kind, below: "" }
        : undefined;
    for (const { route, pattern } of routes) {
      const [whole, id = "", below = ""] = pattern.exec(path) ?? [];
      if (whole !== undefined && route.method === method) return { kind, id, below, route };
    }
  }
  return undefined;
}
