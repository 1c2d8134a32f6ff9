/**
 * The address at which an import reads: a file, or a server in any of the forms that the other
 * systems use. Pure.
 */

export type SourceAddress =
  | { kind: "sqlite"; path: string }
  | { kind: "postgres"; url: string }
  | { kind: "mysql"; server: MysqlServer };

export interface MysqlServer {
  user: string;
  password: string;
  database: string;
  host: string;
  port: number;
  /** The path of a local socket, in place of host and port. */
  socketPath: string | undefined;
  /**
   * The parameter `tls`, as Go's driver names what is asked of the connection; empty where it is
   * absent.
   */
  tls: string;
}

const mysqlPort = 3306;

/** Undefined for an address of a server that cannot be read. */
export function readSourceAddress(text: string): SourceAddress | undefined {
  if (/^postgres(ql)?:\/\//i.test(text))
    return URL.canParse(text) ? { kind: "postgres", url: text } : undefined;
  if (/^mysql:\/\//i.test(text)) {
    const server = URL.canParse(text) ? parseUrlAddress(new URL(text)) : undefined;
    return server && { kind: "mysql", server };
  }
  const go = parseGoAddress(text);
  if (go) return { kind: "mysql", server: go };
  return { kind: "sqlite", path: text.replace(/^sqlite:(\/\/)?/i, "") };
}

function parseUrlAddress({
  username,
  password,
  hostname,
  port,
  pathname,
  searchParams,
}: URL): MysqlServer | undefined {
  const database = decodeURIComponent(pathname.slice(1));
  if (database === "" || hostname === "") return undefined;
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database,
    host: hostname,
    port: port === "" ? mysqlPort : Number(port),
    socketPath: undefined,
    tls: searchParams.get("tls") ?? "",
  };
}

/**
 * `user:password@tcp(host:3306)/name?parameters`, as Go's driver reads it: from the right, because
 * a password may hold any of these characters unescaped.
 */
function parseGoAddress(text: string): MysqlServer | undefined {
  const slash = text.lastIndexOf("/", endOfPath(text));
  const at = text.lastIndexOf("@", slash);
  if (slash < 0 || at < 0) return undefined;
  const network = /^(?:(tcp|unix)\(([^)]*)\))?$/.exec(text.slice(at + 1, slash));
  const [, database = "", parameters = ""] = /^([^?]*)\??(.*)$/s.exec(text.slice(slash + 1)) ?? [];
  const colon = text.slice(0, at).indexOf(":");
  if (!network || database === "" || colon < 0) return undefined;
  const [, protocol, address = ""] = network;
  const [host = "", port = ""] = protocol === "tcp" ? splitPort(address) : [];
  return {
    user: text.slice(0, colon),
    password: text.slice(colon + 1, at),
    database,
    host: host || "127.0.0.1",
    port: port === "" ? mysqlPort : Number(port),
    socketPath: protocol === "unix" ? address : undefined,
    tls: new URLSearchParams(parameters).get("tls") ?? "",
  };
}

/** A parameter such as `loc=Asia/Shanghai` may hold a slash. */
const endOfPath = (text: string): number => {
  const query = /\/[^/?@()]*\?[^?]*$/.exec(text);
  return query ? query.index : text.length;
};

/** `host:3306`, `host`, or `[2001:db8::1]:3306`. */
function splitPort(address: string): string[] {
  const [, bracketed, plain, port = ""] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(address) ?? [];
  return [bracketed ?? plain ?? "", port];
}
