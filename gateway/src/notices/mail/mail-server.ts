/** The mail server to use, from the environment or else from the settings. Pure. */
import type { Sealer } from "../../secrets/seal.ts";
import { type OptionReader, openSecret } from "../../settings/live-options.ts";

export interface MailServer {
  host: string;
  port: number;
  /**
   * TLS from the first byte; otherwise the connection starts in clear and is upgraded when the
   * server offers it.
   */
  secure: boolean;
  /** A password never travels in clear, except within this machine. */
  requireTLS: boolean;
  auth: { user: string; pass: string } | undefined;
  from: string;
}

const implicitTlsPort = 465;
const submissionPort = 587;
const isLocal = (host: string) => ["localhost", "127.0.0.1", "::1"].includes(host);

interface MailServerSettings extends Pick<MailServer, "host" | "port" | "secure" | "from"> {
  user: string;
  pass: string;
}

/** Parses `smtp://user:password@host:587?from=Name <address>`, or smtps. */
function parseMailUrl(url: URL): MailServerSettings {
  const secure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (secure ? implicitTlsPort : submissionPort),
    secure,
    user: decodeURIComponent(url.username),
    pass: decodeURIComponent(url.password),
    from: url.searchParams.get("from") ?? "",
  };
}

function readMailOptions(options: OptionReader, seal: Sealer): MailServerSettings {
  const port = options.number("SMTPPort");
  const user = options.text("SMTPAccount");
  return {
    host: options.text("SMTPServer"),
    port,
    secure: port === implicitTlsPort,
    user,
    pass: user === "" ? "" : openSecret(options, seal, "SMTPToken"),
    from: "",
  };
}

/** Undefined when no server or no sender is configured. */
export function mailServer(
  smtpUrl: URL | undefined,
  options: OptionReader,
  seal: Sealer,
): MailServer | undefined {
  const { user, pass, ...settings } = smtpUrl
    ? parseMailUrl(smtpUrl)
    : readMailOptions(options, seal);
  // Most accounts are named by the address that they send from.
  const from = settings.from || options.text("SMTPFrom") || (user.includes("@") ? user : "");
  if (settings.host === "" || from === "") return undefined;
  const auth = user === "" ? undefined : { user, pass };
  return {
    ...settings,
    requireTLS: auth !== undefined && !settings.secure && !isLocal(settings.host),
    auth,
    from,
  };
}
