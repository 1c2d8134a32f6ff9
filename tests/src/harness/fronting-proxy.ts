/** A reverse proxy in front of a gateway, whichever program it is. */
export interface FrontingProxy {
  url: string;
  /**
   * Requests that it has understood and sent on, also those whose client left before the answer.
   */
  passed(): number;
  stop(): Promise<void>;
}

export interface FrontingProxyOptions {
  /** The gateway is below this path, which the requests that are passed on have or have not. */
  below?: { path: string; isStripped: boolean };
  /** A free port, unless one is given. */
  port?: number;
}
