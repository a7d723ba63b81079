import { useEffect, useState } from "preact/hooks";

/** The current time, epoch ms, updated every second if `isLive`, else every 30 seconds. */
export function useNow(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(
      () => {
        setNow(Date.now());
      },
      isLive ? 1_000 : 30_000,
    );
    return () => {
      clearInterval(timer);
    };
  }, [isLive]);
  return now;
}
