import type { User } from "@tollgate/contract/accounts/users.ts";
import { type FormEvent, useState } from "react";
import type { SessionUser } from "../../session.ts";
import { enterConsole } from "./try-login.ts";

type SignInCode = {
  /** Sends the code; rejects where the server does not take it. */
  send: (code: string) => Promise<{ data: User }>;
  onEnter: (user: SessionUser) => void;
  /** `takeOver` says whether something else than the failure is shown. */
  takeOver?: (error: unknown) => boolean;
};

/** The code that completes an external sign-in, and what became of it. */
export function useSignInCode({ send, onEnter, takeOver }: SignInCode) {
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const { data } = await send(code);
      onEnter(await enterConsole(data));
    } catch (error) {
      if (takeOver?.(error)) return;
      setFailure(error);
      setBusy(false);
    }
  };
  const clear = () => {
    setCode("");
    setFailure(null);
  };
  return { code, setCode, busy, failure, clear, submit: (event: FormEvent) => void submit(event) };
}
