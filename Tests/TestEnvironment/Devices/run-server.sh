# Runs the sound server of a virtual microphone and follows orders on stdin. When stdin ends, for whatever reason, the
# server and its folder go. It has no life of its own: setpriv has it killed when this shell is killed.
#
#   sh run-server.sh FOLDER
trap '' INT TERM HUP
folder=$1
setpriv --pdeathsig KILL pulseaudio -n -F "$folder/modules.pa" </dev/null >/dev/null &
server=$!
# A wait for what the server says ends when it ends.
exec 2>/dev/null
while read -r order number; do
    case $order in
    die) kill -KILL $server; wait $server ;;
    freeze) kill -STOP $server ;;
    thaw) kill -CONT $server ;;
    end) break ;;
    esac
    echo "done $number."
done
kill -KILL $server
wait $server
rm -rf "$folder"
