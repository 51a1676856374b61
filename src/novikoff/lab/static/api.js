// Questions to the library, over HTTP on this machine.

const GONE = "The lab does not answer. Is “novikoff lab” still running in its terminal?";
const pending = new Map();

async function send(path, body, signal) {
  for (let attempt = 0; ; attempt++) {
    let response;
    try {
      response = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal,
      });
    } catch (error) {
      throw error.name === "AbortError" ? error : new Error(GONE);
    }
    if (response.status === 503 && attempt < 3) {
      await new Promise((done) => setTimeout(done, 1000 * Number(response.headers.get("retry-after") ?? 1)));
      continue;
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }
}

export function post(path, body) {
  return send(path, body);
}

// Only the last question to a path is answered; the ones before it end with an AbortError.
export function latest(path, body) {
  pending.get(path)?.abort();
  const controller = new AbortController();
  pending.set(path, controller);
  return send(path, body, controller.signal);
}
