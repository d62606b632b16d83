/** Follows a task's log on its page: appends what comes, shows how it ended, takes a broken stream up again. */
const log = document.getElementById('log');
const state = document.getElementById('state');

/** Characters kept on the page; the whole log is behind the link to the text. */
const KEEP = 2_000_000;
const RETRY_MS = 2000;

function append(text, kind) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  const node = document.createElement('span');
  if (kind) node.className = kind;
  node.textContent = text;
  log.append(node);
  while (log.textContent.length > KEEP && log.firstChild) log.firstChild.remove();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function show(entry) {
  if (entry.type === 'output') append(entry.text);
  else if (entry.type === 'log') append(`${entry.text}\n`, entry.level);
  else if (entry.type === 'end') {
    append(entry.result === 'success' ? 'Task succeeded\n' : `Task failed: ${entry.reason}\n`, entry.result);
    state.textContent = entry.result;
    state.className = `state ${entry.result}`;
    return true;
  }
  return false;
}

async function follow(source) {
  const answer = await fetch(source, { cache: 'no-store' });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error('the stream broke off');
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (show(JSON.parse(line))) return;
  }
}

if (log) {
  log.scrollTop = log.scrollHeight;
  // What was shown so far is in the page; a reload takes up from there.
  if (log.dataset.follow)
    follow(log.dataset.follow).catch(() => setTimeout(() => location.reload(), RETRY_MS));
}
