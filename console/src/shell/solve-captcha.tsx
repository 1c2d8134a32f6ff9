/**
 * Has the user solve a captcha that the server asked for. The widget is in a frame with a page and
 * a policy of its own, and its script ends with the frame. Loaded when a server asks for it.
 */
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { Trans, useLingui } from "@lingui/react/macro";
import { type CaptchaMessage, captchaPagePath } from "@tollgate/contract/accounts/captcha.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { basePath } from "../site-path.ts";
import { Alert } from "../ui/alert.tsx";
import { Dialog } from "../ui/menu/dialog.tsx";
import { Spinner } from "../ui/spinner.tsx";

/** More than the tallest puzzle. */
const heightMax = 2_000;

/** The token; undefined for what is no task, and from a user who closes the dialog. */
export async function solveCaptcha(task: unknown): Promise<string | undefined> {
  const action = isJsonRecord(task) ? task.action : undefined;
  if (typeof action !== "string") return undefined;
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  const token = await new Promise<string | undefined>((resolve) =>
    root.render(
      <I18nProvider i18n={i18n}>
        <CaptchaDialog action={action} onEnd={resolve} />
      </I18nProvider>,
    ),
  );
  root.unmount();
  place.remove();
  return token;
}

type CaptchaDialogProps = { action: string; onEnd: (token: string | undefined) => void };

function CaptchaDialog({ action, onEnd }: CaptchaDialogProps) {
  const { t } = useLingui();
  const [hasFailed, setFailed] = useState(false);
  return (
    <Dialog open onClose={() => onEnd(undefined)} title={<Trans>Are you human?</Trans>}>
      {hasFailed ? (
        <Alert title={t`The captcha could not be loaded.`} onRetry={() => setFailed(false)}>
          <Trans>An ad blocker or your network may keep its service away.</Trans>
        </Alert>
      ) : (
        <CaptchaFrame action={action} onSolve={onEnd} onFailure={() => setFailed(true)} />
      )}
    </Dialog>
  );
}

type CaptchaFrameProps = {
  action: string;
  onSolve: (token: string) => void;
  onFailure: () => void;
};

function CaptchaFrame({ action, onSolve, onFailure }: CaptchaFrameProps) {
  const { t, i18n } = useLingui();
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const listen = ({ data, source, origin }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return;
      const message = findMessage(data);
      if (message?.captcha === "solved") onSolve(message.token);
      else if (message?.captcha === "size") setHeight(message.height);
      else if (message?.captcha === "failed") onFailure();
    };
    addEventListener("message", listen);
    return () => removeEventListener("message", listen);
  }, [onSolve, onFailure]);
  const theme = document.documentElement.dataset.theme ?? "light";
  return (
    <div className="flex flex-col gap-3">
      <p>
        <Trans>This server checks that you are human. Solve the captcha to continue.</Trans>
      </p>
      {height === undefined && <Spinner className="size-5" />}
      <iframe
        ref={frame}
        src={`${basePath}${captchaPagePath}?${new URLSearchParams({ action, theme, lang: i18n.locale })}`}
        title={t`Captcha`}
        height={height ?? 0}
        className="block w-full border-0"
      />
    </div>
  );
}

/** The widget's script is another company's: it may post anything. */
function findMessage(data: unknown): CaptchaMessage | undefined {
  if (!isJsonRecord(data)) return undefined;
  const { captcha, token, height } = data;
  if (captcha === "failed") return { captcha };
  if (captcha === "solved" && typeof token === "string") return { captcha, token };
  if (captcha === "size" && typeof height === "number" && height > 0 && height <= heightMax)
    return { captcha, height };
  return undefined;
}
