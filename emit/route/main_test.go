package route

import (
	"os"
	"testing"

	"tagscan/emit/jq"
)

func TestMain(m *testing.M) {
	if jq.WorkerMain() {
		return
	}
	os.Exit(m.Run())
}
