import { useLingui } from "@lingui/react/macro";
import { revealToken } from "@tollgate/contract/accounts/key-reveal.ts";
import { maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { api } from "../../api-queries.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { toastError } from "../../components/toast-failure.ts";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Secret } from "../../ui/form/secret.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { eye } from "../../ui/line-icon.tsx";

type ProvedKeyProps = { token: Pick<Token, "id" | "uuid" | "name" | "key" | "models"> };

/** Asks for the key of a token whose list masks it; the server may ask who it is first. */
function useProvedKey(token: ProvedKeyProps["token"]): {
  ask: () => Promise<string | undefined>;
  dialog: ReactNode;
} {
  const { withReauth, dialog } = useReauth();
  const ask = async () => {
    try {
      const reply = await withReauth((proof) =>
        api.call(revealToken, { body: { ...buildEntityIds(token), ...proof } }),
      );
      return reply.data.key;
    } catch (error) {
      toastError(error);
      return undefined;
    }
  };
  // A portal, because the row around it would pass on its text style and events.
  return { ask, dialog: dialog && createPortal(dialog, document.body) };
}

export function ProvedKey({ token }: ProvedKeyProps) {
  const { t } = useLingui();
  const [key, setKey] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const { ask, dialog } = useProvedKey(token);
  if (key !== undefined)
    return <Secret text={key} masked={maskKey(key)} label={t`key`} startsShown />;
  const reveal = async () => {
    setAsking(true);
    setKey(await ask());
    setAsking(false);
  };
  return (
    <span className="inline-flex max-w-full items-center">
      <code className="mr-1 whitespace-nowrap font-mono text-muted text-sm">{token.key}</code>
      <IconButton
        size="sm"
        className="size-7"
        label={t`Reveal key`}
        icon={eye}
        disabled={isAsking}
        onClick={() => void reveal()}
      />
      {dialog}
    </span>
  );
}

/** `UseProvedKeyDialog` says how programs use a key, once it was shown again. */
export function UseProvedKeyDialog({ token, onClose }: ProvedKeyProps & { onClose: () => void }) {
  const [key, setKey] = useState<string>();
  const { ask, dialog } = useProvedKey(token);
  const isAsked = useRef(false);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    void ask().then((found) => (found === undefined ? onClose() : setKey(found)));
  });
  return key === undefined ? dialog : <UseKeyDialog token={{ ...token, key }} onClose={onClose} />;
}
