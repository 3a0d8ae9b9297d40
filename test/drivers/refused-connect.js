// Connects with the official driver, and prints what it says when it is refused. A process of its own: the driver leaves a
// timer behind that would end the tests' 20 seconds later. Arguments: host, port, user, password.

import r from 'rethinkdb';

const [host, port, user, password] = process.argv.slice(2);
r.connect({ host, port: Number(port), user, password }).then(
  () => process.exit(1),
  (error) => process.stdout.write(`${error.name}: ${error.message}\n`, () => process.exit(0)),
);
