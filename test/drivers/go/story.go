// The story of story.test.ts through the Go driver: connect, write, read a large table, watch a count and a sum, run into
// an error, close. Says "ok" and exits 0 when all is as it should be. Arguments: the address of the proxy.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	r "gopkg.in/rethinkdb/rethinkdb-go.v6"
)

const rows = 2500

func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func expect(what string, got, want interface{}) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		fmt.Fprintf(os.Stderr, "%s: got %v, not %v\n", what, got, want)
		os.Exit(1)
	}
}

// next gives the next document of a feed, within ten seconds.
func next(what string, feed *r.Cursor) map[string]interface{} {
	document := make(chan map[string]interface{}, 1)
	go func() {
		var value map[string]interface{}
		if feed.Next(&value) {
			document <- value
		}
	}()
	select {
	case value := <-document:
		return value
	case <-time.After(10 * time.Second):
		check(what, fmt.Errorf("no document came: %v", feed.Err()))
		return nil
	}
}

func main() {
	session, err := r.Connect(r.ConnectOpts{Address: os.Args[1], Database: "go_story"})
	check("connect", err)
	check("create database", r.DBCreate("go_story").Exec(session))
	defer r.DBDrop("go_story").Exec(session)
	check("create table", r.TableCreate("t").Exec(session))

	many := make([]map[string]interface{}, rows)
	for id := range many {
		many[id] = map[string]interface{}{"id": id, "n": 1, "text": strings.Repeat("é<&>", 100)}
	}
	check("insert", r.Table("t").Insert(many).Exec(session))
	cursor, err := r.Table("t").Run(session)
	check("read", err)
	var read []map[string]interface{}
	check("read all", cursor.All(&read))
	expect("rows", len(read), rows)

	initial := r.ChangesOpts{IncludeInitial: true}
	count, err := r.Table("t").Count().Changes(initial).Run(session)
	check("watch count", err)
	sum, err := r.Table("t").Sum("n").Changes(initial).Run(session)
	check("watch sum", err)
	expect("first count", next("first count", count)["new_val"], rows)
	expect("first sum", next("first sum", sum)["new_val"], rows)
	check("insert one", r.Table("t").Insert(map[string]interface{}{"id": "more", "n": 2}).Exec(session))
	expect("next count", next("next count", count)["new_val"], rows+1)
	expect("next sum", next("next sum", sum)["new_val"], rows+2)

	_, err = r.Expr(1).Add("x").Run(session)
	if err == nil || !strings.Contains(err.Error(), "Expected type NUMBER but found STRING") {
		check("error", fmt.Errorf("not the server's: %v", err))
	}
	check("close count", count.Close())
	check("close sum", sum.Close())
	check("close", session.Close())
	fmt.Println("ok")
}
