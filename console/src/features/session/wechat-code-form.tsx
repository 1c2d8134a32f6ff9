import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import { buildImageUrl } from "../../components/texts/image-url.ts";
import { useSession } from "../../session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { LoginField } from "./login-field.tsx";

const codeMax = 64;

/** Asks for the code that the site's official account sends to its followers. */
export function WechatCodeForm({ onCode }: { onCode: (code: string) => void }) {
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
