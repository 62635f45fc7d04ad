// Reads texts, each as its length in bytes (four bytes, little-endian) and the bytes, and prints for each what JavaScript
// makes of it: a line with "=" and a JSON array of texts, or with "!" and the message of JSON.parse as a JSON string.
const fs = require('fs');
const data = fs.readFileSync(process.argv[2]);
const out = [];
for (let at = 0; at < data.length;) {
  const n = data.readUInt32LE(at);
  const text = data.toString('utf8', at + 4, at + 4 + n);
  at += 4 + n;
  try {
    const v = JSON.parse(text);
    out.push('=' + JSON.stringify([JSON.stringify(v), JSON.stringify(v, null, 2), string(v), String(number(v))]));
  } catch (e) {
    out.push('!' + JSON.stringify(e.message));
  }
}
// As String(v) and Number(v), but data that has a toString of its own changes nothing.
function string(v) {
  if (Array.isArray(v)) return v.map(x => (x === null ? '' : string(x))).join();
  return typeof v === 'object' && v !== null ? '[object Object]' : String(v);
}
function number(v) {
  return Number(typeof v === 'object' && v !== null ? string(v) : v);
}
process.stdout.write(out.join('\n') + '\n');
