import { Trans, useLingui } from "@lingui/react/macro";
import { Search } from "lucide-react";
import { lazy, Suspense, useLayoutEffect, useState } from "react";
import { buttonStyle } from "../ui/button.tsx";
import { paletteAriaKeys, paletteKeys } from "./palette-keys.ts";
import { useNavigation } from "./use-navigation.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));

const ShortcutKeys = lazy(async () => ({
  default: (await import("./shortcut-keys.tsx")).ShortcutKeys,
}));

/** Shows the shortcut, and opens the palette without a keyboard. */
export function PaletteButton() {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const isNeeded = useNavigation().length > 0;
  // Before the button is drawn: a shortcut that is shown works.
  useLayoutEffect(() => {
    if (!isNeeded) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      if (!isShortcut || event.shiftKey || event.altKey) return;
      // The browser's default moves the focus to its address bar.
      event.preventDefault();
      // Not above another dialog.
      if (document.querySelector("dialog:modal") === null) setOpen(true);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isNeeded]);
  if (!isNeeded) return null;
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={paletteAriaKeys}
        title={t`Go to a page or start an action`}
        onClick={() => setOpen(true)}
        className={buttonStyle({ variant: "ghost" }, "px-2.5!")}
      >
        <Search aria-hidden="true" />
        <span className="sr-only">
          <Trans>Open command palette</Trans>
        </span>
        <span aria-hidden="true" className="text-muted text-xs max-[1535px]:hidden">
          {paletteKeys.join(" ")}
        </span>
      </button>
      <Suspense>
        <ShortcutKeys />
      </Suspense>
      {isOpen && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
