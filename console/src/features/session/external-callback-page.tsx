import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useEffectEvent, useState } from "react";
import { redirectInState } from "../../compat/oauth-compat.ts";
import { useProviderName } from "../../components/sign-in/external-provider-logos.tsx";
import {
  isOidc,
  type SignInProvider,
  takeRedirect,
} from "../../components/sign-in/external-sign-in-start.ts";
import { buildImageUrl } from "../../components/texts/image-url.ts";
import { isHeldBack, type SessionUser, useSession } from "../../session.ts";
import { chooseLandingPath, redirectTarget } from "../../shell/redirect-target.ts";
import { readPagePath } from "../../site-path.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { delay, finishCallback, retriesMax } from "./external-callback.ts";
import { ExternalLinkForm } from "./external-link-form.tsx";
import { ExternalTotpForm } from "./external-totp-form.tsx";
import { LoginField } from "./login-field.tsx";
import type { LoginFailure } from "./try-login.ts";
import { VisitorFrame } from "./visitor-frame.tsx";

/** Long enough to read the reason. */
const redirectAfterMs = 2000;

type CallbackStep =
  | { kind: "checking" }
  | { kind: "retrying"; retry: number; failure: LoginFailure }
  | { kind: "leaving"; failure: LoginFailure }
  | { kind: "code"; email: string }
  | { kind: "totp" };

/** Telegram appends its signed result to the address of the callback, where no server sees it. */
const readTelegramResult = (fragment: string): string =>
  /[#&]tgAuthResult=([\w=-]+)/.exec(fragment)?.[1] ?? "";

/** The page that a provider redirects back to: `/oauth/` and the provider. */
export function ExternalCallbackPage() {
  // As of the first frame: the page leads to another address.
  const [provider] = useState(
    () => readPagePath().replace(/^\/oauth\/|\/+$/g, "") as SignInProvider,
  );
  const { t } = useLingui();
  const navigate = useNavigate();
  const router = useRouter();
  const {
    code: sentCode = "",
    state = "",
    iss,
    error,
  }: Record<string, string> = useSearch({ strict: false });
  const [fragment] = useState(() => location.hash);
  const [typedCode, setTypedCode] = useState("");
  const code = provider === "telegram" ? readTelegramResult(fragment) : sentCode || typedCode;
  const asksForCode = provider === "wechat" && code === "" && state !== "";
  const [step, setStep] = useState<CallbackStep>({ kind: "checking" });
  const name = useProviderName()(provider);

  const goTo = (to: string, message: string, tone: "good" | "bad" = "good") =>
    navigate({ to, replace: true, state: { message, tone } });

  const enter = async (user: SessionUser) => {
    const target = redirectTarget(takeRedirect() ?? redirectInState(state), location.origin) ?? "/";
    // Data loaded for a visitor does not apply to the signed-in user.
    await router.invalidate();
    await goTo(chooseLandingPath(target, isHeldBack(user)), t`${name} login successful!`);
  };

  const finish = useEffectEvent(async (signal: AbortSignal) => {
    // The user refused at the provider, or the provider refused the user.
    if (isOidc(provider) && error !== undefined)
      return goTo("/login", t`${name} authentication failed. Please try again.`, "bad");
    if (code === "" || state === "")
      return goTo("/login", t`Invalid ${name} authentication parameters`, "bad");
    const outcome = await finishCallback(
      provider,
      { code, state, ...(iss && { iss }) },
      signal,
      (retry, failure) => setStep({ kind: "retrying", retry, failure }),
    );
    if (signal.aborted) return;
    if (outcome.kind === "bound") return goTo("/settings", t`${name} account bound successfully!`);
    if (outcome.kind === "signed-in") return enter(outcome.user);
    if (outcome.kind === "totp-required") return setStep({ kind: "totp" });
    if (outcome.kind === "code-required") return setStep({ kind: "code", email: outcome.email });
    setStep({ kind: "leaving", failure: outcome });
    await delay(redirectAfterMs, signal);
    if (!signal.aborted)
      await goTo("/login", t`${name} authentication failed. Please try again.`, "bad");
  });
  useEffect(() => {
    if (asksForCode) return;
    const leaving = new AbortController();
    void finish(leaving.signal);
    return () => leaving.abort();
  }, [asksForCode]);

  return (
    <VisitorFrame title={t`Sign In`} heading={t`Sign in with ${name}`}>
      {asksForCode ? (
        <WechatCodeForm onCode={setTypedCode} />
      ) : step.kind === "code" ? (
        <ExternalLinkForm
          state={state}
          email={step.email}
          onEnter={(user) => void enter(user)}
          onTotp={() => setStep({ kind: "totp" })}
        />
      ) : step.kind === "totp" ? (
        <ExternalTotpForm state={state} onEnter={(user) => void enter(user)} />
      ) : (
        <div role="status" className="flex gap-3">
          <Spinner className="mt-0.5 size-4 shrink-0" />
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p>
              {step.kind === "checking" && t`Processing ${name} authentication...`}
              {step.kind === "retrying" &&
                t`Authentication error, retrying ${step.retry}/${retriesMax}...`}
              {step.kind === "leaving" && t`Authentication failed, redirecting...`}
            </p>
            {step.kind !== "checking" && <FailureReason failure={step.failure} />}
          </div>
        </div>
      )}
    </VisitorFrame>
  );
}

function FailureReason({ failure: { reason, requestId } }: { failure: LoginFailure }) {
  return (
    <div className="text-muted text-sm">
      <p>{reason}</p>
      {requestId !== undefined && (
        <p>
          <Trans>
            Request id <code className="font-mono">{requestId}</code>
          </Trans>
        </p>
      )}
    </div>
  );
}

const codeMax = 64;

/** Asks for the code that the site's official account sends to its followers. */
function WechatCodeForm({ onCode }: { onCode: (code: string) => void }) {
  const { t } = useLingui();
  const { status } = useSession();
  const [code, setCode] = useState("");
  const picture = buildImageUrl(status.wechat_qrcode, location.origin);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code.trim());
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <p>
        <Trans>
          Follow the official account in WeChat, ask it for a code, and type the code here.
        </Trans>
      </p>
      {picture !== undefined && (
        // White in both themes: scanners cannot read a code whose transparent ground is dark.
        <img
          src={picture}
          alt={t`QR code of the official account`}
          className="mx-auto size-48 rounded-md bg-[white] object-contain p-2"
          referrerPolicy="no-referrer"
        />
      )}
      <LoginField
        label={t`Code from WeChat`}
        name="code"
        value={code}
        onChange={setCode}
        maxLength={codeMax}
        autoComplete="one-time-code"
        autoFocus
      />
      <Button type="submit" variant="primary" disabled={code.trim() === ""}>
        <Trans>Continue</Trans>
      </Button>
      <ButtonLink to="/login" variant="ghost">
        <Trans>Back to Login</Trans>
      </ButtonLink>
    </form>
  );
}
