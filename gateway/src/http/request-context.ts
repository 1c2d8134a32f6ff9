/** Who is calling, as the database knows them at this moment. */
export interface Principal {
  id: number;
  uuid: string;
  username: string;
  role: number;
  group: string;
  mustChangePassword: boolean;
  /** How they proved it; a cookie is sent by the browser on its own, a token never is. */
  proof: { by: "cookie"; sessionHash: string; provedAt: number } | { by: "access_token" };
}

/** What a request is known by besides its caller. */
export interface RequestContext {
  requestId: string;
  address: string;
  userAgent: string;
  now: number;
  idempotencyKey: string | undefined;
  headers: Headers;
  /** Headers for the reply, `Set-Cookie` among them. */
  responseHeaders: Headers;
}

export type Identify = (headers: Headers, now: number) => Promise<Principal | undefined>;
